"""Local Spark sessions and the Java they run on."""
