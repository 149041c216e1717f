"""The engine of a lake that runs its tasks in Spark."""
