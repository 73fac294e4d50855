# The two commands of the README: `make serve` and `make test`. Both install what they need into .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Tests that need a service skip with a reason where it is missing, unless this says `required`.
export MCP_RUN_SERVICES ?= optional
PYTEST_FLAGS ?=

.PHONY: serve test check format clean

serve: .venv/installed
	$(BIN)/mcp-run serve

test: .venv/installed-for-tests
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

check: .venv/installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cog --check docs/*.md README.md

format: .venv/installed-for-tests
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/cog -r docs/*.md README.md

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade 'pip>=25.1'

.venv/installed: pyproject.toml | .venv/bin/python
	$(PIP) install --editable .
	@touch $@

.venv/installed-for-tests: pyproject.toml | .venv/bin/python
	$(PIP) install --editable . --group dev
	@touch .venv/installed $@
