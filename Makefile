# Two commands do everything: `make demo` and `make test`. Both make .venv first. While you work,
# `make check` is enough: lint, types and a fast test file for each room, in under a minute.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= auto
COVERAGE ?= yes
KERNELS := $(wildcard src/cupel/kernels/*.[ch])
MODELS := $(addprefix -e ./,$(wildcard models/*))

.PHONY: demo test check quick bench lint types soak fuzz lowest newest audit sbom clean

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

# Long runs of what `make test` does for seconds: docs/research/under-fire.md has their results.
soak: $(VENV)/installed-dev
	$(BIN)/python tools/kills.py $(SOAK_ARGS)
	$(BIN)/python tools/kills.py --ends --moments 25
	$(BIN)/python -m pytest -q -r fEs -m soak tests/engines

fuzz: $(VENV)/installed-dev
	PYTHONPATH=tools nice $(BIN)/python tools/fuzz.py $(FUZZ_ARGS)

# The quick tests with the lowest versions that pyproject.toml allows, and with the newest there are.
# Extras of gigabytes (syntax, neural) are left out, unless EXTRAS names them.
EXTRAS ?= meteor
lowest: $(VENV)/installed-dev
	@mkdir -p build
	$(BIN)/python tools/lowest.py $(EXTRAS) test > build/lowest.txt
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python -m pip install -q -c build/lowest.txt -e '.[$(EXTRAS)]' pytest pytest-xdist hypothesis
	CUPEL_DATA= build/lowest/bin/python -m pytest -q -r fE -m quick $(PYTEST_ARGS)

newest: $(VENV)/installed-dev
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python -m pip install -q -U -e '.[$(EXTRAS)]' pytest pytest-xdist hypothesis
	CUPEL_DATA= build/newest/bin/python -m pytest -q -r fE -m quick $(PYTEST_ARGS)

audit: $(VENV)/installed-dev
	$(PYTHON) -m venv build/audit && build/audit/bin/python -m pip install -q pip-audit
	build/audit/bin/pip-audit --path $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

sbom: $(VENV)/installed
	@mkdir -p build
	$(BIN)/python tools/sbom.py > build/sbom.json

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Cupel needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml $(wildcard models/*/pyproject.toml) constraints.txt hatch_build.py $(KERNELS)
	$(INSTALL) $(MODELS) -e '.[all]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) $(MODELS) -e '.[test,lint]'
	@touch $@
