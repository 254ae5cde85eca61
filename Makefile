# What a contributor types. Everything runs in .venv, which every target makes or renews first.
# Python 3.11 or newer; used once, to make .venv.
PYTHON ?= python3

BIN := .venv/bin
READY := .venv/.ready
NATIVE := $(shell find native -type f)
# Answers of a real server, kept beside the clone; without them the tests that compare are skipped.
export SHOAL_CASES ?= $(wildcard $(CURDIR)/../shared/data/dialect)
export SHOAL_REPLAY ?= $(wildcard $(CURDIR)/../shared/tools/dialect/replay.py)
# Recorded traces of clusters, likewise.
export SHOAL_TRACES ?= $(wildcard $(CURDIR)/../shared/data)
# Last, so that pip's cmake serves only where the system has none.
export PATH := $(PATH):$(CURDIR)/$(BIN)

.PHONY: venv test test-survival demo bench docs clean

venv: $(READY)

$(READY): pyproject.toml CMakeLists.txt $(NATIVE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "shoal needs Python 3.11 or newer. With another one: make PYTHON=python3.12")'
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	command -v cmake >/dev/null || $(BIN)/pip install --quiet cmake
	$(BIN)/pip install --quiet --editable '.[test,demo,sim]'
	touch $@

# All gates and tests, the native parts built with sanitizers: at most 10 minutes on two cores.
test: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

# What must live through deaths, full disks, silence and clocks that jump: ten minutes on two
# cores, one box at a time.
test-survival: $(READY)
	$(BIN)/pytest -m survival tests/survival

demo: $(READY)
	$(BIN)/python examples/demo.py

bench: $(READY)
	for figure in startup commands first_byte throughput memory apiserver growth; do $(BIN)/python bench/$$figure.py || exit; done

docs: $(READY)
	$(BIN)/python -m shoal.cli.reference > docs/cli.md

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
