"""Messages into the tables of a folder, without Spark."""
