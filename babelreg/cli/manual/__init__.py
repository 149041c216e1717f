"""The pages that ``babelreg rules`` and ``babelreg explain`` print."""
