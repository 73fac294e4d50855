# The two commands of the README: `make serve` and `make test`. Both install what they need into .venv.
#   make serve ARGS="--port 8123"      options of `mcp-run serve`
#   make test ARGS="tests/docs -x"     options of pytest
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Tests that need a service skip with a reason where it is missing, unless this says `required`.
export MCP_RUN_SERVICES ?= optional
ARGS ?=
# Tests wait for servers and processes as long as they reckon, so that two processes run them for
# each processor; 0 runs them in this one. Each compiles every test where bytecode is not kept.
PROCESSES ?= $(shell $(PYTHON) -c 'import os; print(2 * os.cpu_count())')
# An editable install has no bytecode of its own; without it each start compiles every module.
COMPILE := $(BIN)/python -m compileall -q runner
# `docs.generate` is found from here.
COG := $(BIN)/cog -I .
PAGES := docs/*.md tests/conformance/README.md

.PHONY: serve test check conformance format clean

serve: .venv/installed
	exec $(BIN)/mcp-run serve $(ARGS)

test: .venv/installed-for-tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile $(ARGS)

check: .venv/installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(COG) --check $(PAGES)

conformance: .venv/installed-for-tests
	$(BIN)/python -m tests.conformance.suite $(ARGS)

format: .venv/installed-for-tests
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(COG) -r $(PAGES)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

# The pip of an old Python knows no dependency groups (25.1 and later do).
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; say which: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade 'pip>=25.1'

.venv/installed: pyproject.toml | .venv/bin/python
	$(PIP) install --editable .
	$(COMPILE)
	@touch $@

.venv/installed-for-tests: pyproject.toml | .venv/bin/python
	$(PIP) install --editable . --group dev
	$(COMPILE)
	@touch .venv/installed $@
