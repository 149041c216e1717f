"""PHP code that targets show: usage examples, and the options of the classes that they use."""
