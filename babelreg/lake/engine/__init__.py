"""Engines that run the tasks of a batch: the interface, and a pool of processes of this machine."""
