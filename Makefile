# Two commands do everything: `make demo` and `make test`. Both make .venv first. While you work,
# `make check` is enough: lint, types and a fast test file for each room, in under a minute.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= auto
KERNELS := $(wildcard src/cupel/kernels/*.[ch])
COVERAGE ?= yes

.PHONY: demo test check quick bench lint types clean

demo: $(VENV)/installed
	$(BIN)/cupel demo

ifeq ($(COVERAGE),yes)
test: demo $(VENV)/installed-dev
	@mkdir -p build
	$(BIN)/python -m slipcover -m pytest -n $(WORKERS) $(PYTEST_ARGS)
	@$(BIN)/python tools/coverage_by_room.py build/coverage.json
else
test: demo $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)
endif

check: $(VENV)/installed-dev
	@$(MAKE) --no-print-directory -j 2 lint types quick

quick: $(VENV)/installed-dev
	CUPEL_DATA= $(BIN)/python -m pytest -q -r fE -m quick $(PYTEST_ARGS)

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
