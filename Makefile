# Commands of the project. Each makes the environment that it needs; nothing has to be installed first but a Python.
# PYTHON=/path/to/python3 chooses another one for a new environment.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test test-full lint types layers bench build docs constraints clean

VENV := .venv
DEMO_VENV := .venv-demo
BIN := $(CURDIR)/$(VENV)/bin
INPUTS := pyproject.toml .ci/environment $(wildcard .ci/constraints/*.txt)
TEST_STAMP := $(VENV)/.made-for-tests
DEMO_STAMP := $(DEMO_VENV)/.made-for-demo

# Without a home, tools would leave their caches between the sources.
ifeq ($(HOME),)
export HOME := $(CURDIR)/.venv-home
endif
# Tests never meet an Airflow of the machine's own.
export AIRFLOW_HOME := $(CURDIR)/.airflow-tests
export AIRFLOW__CORE__LOAD_EXAMPLES := False
export AIRFLOW__USAGE_DATA_COLLECTION__ENABLED := False
PYTEST := $(BIN)/python -m pytest
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
ARGS ?=

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

$(TEST_STAMP): $(INPUTS)
	@.ci/environment $(VENV) test,lint,build cli,duckdb,polars,postgres
	@touch $@

$(DEMO_STAMP): $(INPUTS)
	@.ci/environment $(DEMO_VENV) demo cli
	@touch $@

demo: $(DEMO_STAMP) ## a real Airflow fills two weeks of data and shows what is held; stays for a look at the UI (EXIT=1: stops by itself)
	@exec $(DEMO_VENV)/bin/python example_dags/run_demo.py $(if $(filter 1 yes true,$(EXIT)),--exit)

test: $(TEST_STAMP) ## every test but the slow ones, with a real Airflow and a browser (ARGS="-k name")
	@$(PYTEST) -n $(WORKERS) -m "not full" $(ARGS)

test-full: $(TEST_STAMP) ## every test, with branch coverage
	@$(PYTEST) -n $(WORKERS) --cov --cov-report=term $(ARGS)

lint: $(TEST_STAMP) ## ruff: style, docstrings, forbidden calls
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(TEST_STAMP) ## mypy --strict
	@$(BIN)/mypy

layers: $(TEST_STAMP) ## imports go down only
	@$(BIN)/lint-imports

bench: $(TEST_STAMP) ## measure what the design promises in seconds
	@if compgen -G "benchmarks/bench_*.py" >/dev/null; then for file in benchmarks/bench_*.py; do $(BIN)/python "$$file"; done; else echo "benchmarks/ holds no bench_*.py yet"; fi

build: $(TEST_STAMP) ## wheel and source archive in dist/
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist . >dist.log 2>&1 || { cat dist.log; rm -f dist.log; exit 1; }
	@rm -f dist.log; ls -l dist

docs: $(TEST_STAMP) ## check that the pages' links and code blocks hold
	@if [ -d tests/docs ]; then $(PYTEST) tests/docs; else echo "docs/ is plain Markdown; nothing to build"; fi

constraints: $(TEST_STAMP) ## compile the pinned versions anew: make constraints BEFORE=2026-11-30
	@.ci/compile-constraints $(BEFORE)

clean: ## remove environments, caches and the demo's data
	@rm -rf $(VENV) $(DEMO_VENV) .venv-cache .venv-home .demo .airflow-tests dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
