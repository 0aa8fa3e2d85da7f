# Two commands do everything: `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= auto
KERNELS := $(wildcard src/cupel/kernels/*.[ch])

.PHONY: demo test bench lint types clean

demo: $(VENV)/installed
	$(BIN)/cupel demo

test: demo $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

bench: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 POLARS_MAX_THREADS=1 \
		$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Cupel needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt hatch_build.py $(KERNELS)
	$(INSTALL) -e '.[all]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) -e '.[test,lint]'
	@touch $@
