# Each target does its own set-up in .venv; `make PYTHON=python3.12 test` picks another Python.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/python -m pytest

.PHONY: demo test check determinism soak lint types contracts rules parity docs bench clean
.DEFAULT_GOAL := test

demo: $(VENV)/.base ## the whole pipeline on the bundled support desk
	@$(BIN)/groundeval demo

test: $(VENV)/.dev ## the test suite
	$(RUN) -n 2

check: lint contracts types test rules ## everything that must hold before a change lands

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

rules: $(VENV)/.dev ## the tests inside the bundled rule files and the example
	$(BIN)/groundeval test policies tracks examples/support

parity: $(VENV)/.dev ## the paper tracks against the preprint's record, in $$GROUNDEVAL_SHARED/cases/paper
	@$(BIN)/python -m tests.scoring.parity

determinism: $(VENV)/.dev ## compiles and scores in many ways, which must all give the same bytes
	@$(BIN)/python -m tests.determinism

soak: $(VENV)/.dev ## the long versions: full sizes, written to benchmarks/RESULTS.md
	$(RUN) -m soak
	$(BIN)/python -m benchmarks --full --write

docs: $(VENV)/.dev ## the generated pages of the reference
	$(BIN)/python -m docs.generate

bench: $(VENV)/.dev ## the benchmarks at everyday sizes
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache build dist

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "GroundEval needs Python 3.11 or newer, and \`$(PYTHON)\` is not: install one and say \`make PYTHON=python3.12 ...\`" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "\`$(PYTHON)\` lacks the venv module: install it (on Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The stamps are written last: an interrupted set-up starts again.
$(VENV)/.base: $(VENV)/.made pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.base
