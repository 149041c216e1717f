"""A fuzzer for the whole of babelreg: hostile registries in, findings or clear errors out, nothing else."""
