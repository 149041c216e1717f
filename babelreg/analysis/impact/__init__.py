"""Effect of a registry's change on recorded messages: counted, and joined to the findings of ``breaking``."""
