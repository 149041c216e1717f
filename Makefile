# babelreg: `make demo` and `make test` set up everything they need by themselves.

# The first Python >= 3.11 on the path; name another with `make demo PYTHON=/path/to/python3`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin

# Processes that run tests: one more than there are processors, since some always wait for a server, and at most four.
WORKERS = $(shell $(BIN)/python -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))')

# What the wheel of the runtime is made from.
RUNTIME := tools/wheels.py $(shell find babelreg -name '*.py' -not -path 'babelreg/cli/*' -not -path 'babelreg/spark/*' -not -path 'babelreg/lake/*')

.DEFAULT_GOAL := help
.PHONY: help demo setup test wheels lint docs bench fuzz clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.demo $(VENV)/.runtime ## Run the whole job on registry.example, into demo/
	$(BIN)/babelreg demo --out demo

setup: $(VENV)/.dev $(VENV)/.runtime ## Install what developing needs into .venv/, and run nothing

test: $(VENV)/.dev $(VENV)/.runtime ## Run the whole test suite, linters and type checks included
	$(BIN)/python -m compileall -q babelreg  # for the many processes that tests start, if PYTHONDONTWRITEBYTECODE is set
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

wheels: $(VENV)/.build ## Build and check both wheels and the sdist, into dist/
	rm -rf dist
	$(BIN)/python tools/wheels.py --out dist
	$(BIN)/twine check --strict dist/*

lint: $(VENV)/.dev ## Check our own code: ruff, mypy --strict, the import contracts; print the size of its packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/architecture.py

docs: $(VENV)/.dev ## Build the documentation as a web site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.dev ## Measure the bars (minutes)
	$(BIN)/python benchmarks

fuzz: $(VENV)/.dev ## Run the long forms of the fuzz and kill tests, and all property tests on new cases
	$(BIN)/python -m pytest -m "long or (hypothesis and not servers)" --hypothesis-profile random

clean: ## Remove the virtual environment and what demo and docs wrote
	rm -rf $(VENV) demo site

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[runtime,lake]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.demo

$(VENV)/.build: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build 'twine>=7,<8'
	touch $@

# Its requirements come with .demo and .dev.
$(VENV)/.runtime: $(RUNTIME) | $(BIN)/python
	rm -rf build/runtime
	$(BIN)/python tools/wheels.py --only runtime --out build/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/runtime/*.whl
	touch $@
