# Everything sets itself up: `make demo` and `make test` need only Python 3.11 or newer, and make.

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
JOBS := 2

# The newest usable Python wins. A name on the path is not enough (a version manager leaves stubs that only
# print an error), so each candidate has to run, be new enough and bring venv with it. PYTHON=… overrides.
PYTHON = $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; \
	done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint kernels wheel wheel-check sdist install-check check-long bench peers docs sheets links clean

help:
	@echo "make demo        the main job: the report of 1989 on a human figure, with pictures"
	@echo "make test        lint, types and the tests, as continuous integration runs them"
	@echo "make test-all    the same on every Python from 3.11 to 3.14 that is found"
	@echo "make lint        lint, imports and types only"
	@echo "make kernels     compile the kernels for this machine (what demo and test do first, once)"
	@echo "make wheel       wheels with compiled kernels, into dist/"
	@echo "make wheel-check the wheels in fresh environments: size, first snippet, compiled kernels"
	@echo "make sdist       the source archive, into dist/"
	@echo "make install-check  what pip makes of the folder, of the source archive and of git, in fresh environments"
	@echo "make check-long  the exhaustive tests"
	@echo "make bench       the comparisons, with ratios"
	@echo "make docs        the site, into build/docs"
	@echo "make sheets      the pictures of people that the documents show, into docs/pictures"
	@echo "make links       the site's links, those to other sites too"
	@echo "make peers       other programs on the same problems: sets them up, runs them, writes the table"
	@echo "make clean       remove the virtual environment and all caches"

demo: kernels
	@$(VENV)/bin/manikin demo

lint: $(VENV)/.installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/lint-imports --no-cache --no-logo
	$(PY) -m mypy
	MYPYPATH=src $(PY) -m mypy --config-file= --strict --follow-imports=silent tests/typed/user_script.py

# Numba is out of reach; what is no entry of the compiled kernels runs as plain Python.
test: $(VENV)/.installed-dev
	@$(MAKE) --no-print-directory --jobs=2 lint kernels
	$(PY) -m pytest -n $(JOBS) -m "not long" $(WITHOUT)

# A virtual environment of its own for each; what is not found is said. The kernels are compiled once for all.
PYTHONS := 3.11 3.12 3.13 3.14
test-all:
	@missing=; failed=; for v in $(PYTHONS); do \
		p=$$( for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'import sys, venv, ensurepip; sys.exit("%d.%d" % sys.version_info[:2] != "'$$v'")' 2>/dev/null && { echo $$c; break; }; done ); \
		if test -z "$$p"; then missing="$$missing $$v"; continue; fi; \
		echo "Python $$v: $$p"; \
		$(MAKE) --no-print-directory test PYTHON=$$p VENV=.venv-$$v || failed="$$failed $$v"; \
	done; \
	test -z "$$missing" || echo "not found, so not tried: Python$$missing"; \
	test -z "$$failed" || { echo "failed on Python$$failed" >&2; exit 1; }

# The reports are left in build/. Its size is a parameter: make check-long SOLVES=10000000 COMPARED=1000000 FILES=1000000
SOLVES := 1000000
COMPARED := 50000
FILES := 50000
MUTANTS := 100
check-long: $(VENV)/.installed-dev kernels
	$(PY) -m pytest -n $(JOBS) -m long
	@mkdir -p build
	rm -f build/campaign.json build/series.json build/fresh.json build/urdf.json build/toml.json
	$(PY) -m tests.campaign run --first 2000000 --cases 20000 --report build/campaign.json
	$(PY) -m tests.campaign run --kind series --first 3000000 --cases 1000000 --size 50 --solves $(SOLVES) --report build/series.json
	$(PY) -m tests.campaign run --kind fresh --first 3000000 --cases 1000000 --size 50 --solves $(COMPARED) --report build/fresh.json
	$(PY) -m tests.campaign run --kind urdf --cases 1000000 --size 50 --solves $(FILES) --report build/urdf.json
	$(PY) -m tests.campaign run --kind toml --cases 1000000 --size 50 --solves $(FILES) --report build/toml.json
	rm -f build/person.json
	$(PY) -m tests.campaign run --kind person --cases 2000 --report build/person.json
	$(PY) -m tests.campaign memory $(SOLVES)
	$(PY) -m tests.mutants --count $(MUTANTS) --report build/mutants.json

# Numba is out of reach only where there are compiled kernels to do without it.
WITHOUT = $$(ls src/manikin/kernels/_prebuilt_*.so >/dev/null 2>&1 && echo --without-numba)

# Compiled once for these kernels, in parallel; kept in build/kernels. Without a C compiler entries are compiled when they are called.
kernels: $(VENV)/.installed
	@$(PY) -m manikin.toolchain --if-possible > /dev/null

# The Arm wheel is cross-built where aarch64-linux-gnu-gcc is installed.
wheel: $(VENV)/.installed
	MANIKIN_LEVELS=v4,v3,v2 $(PIP) wheel --no-deps --wheel-dir dist .
	@if command -v aarch64-linux-gnu-gcc > /dev/null; then MANIKIN_LEVELS=arm64 $(PIP) wheel --no-deps --wheel-dir dist .; fi
	@ls -l dist

wheel-check: wheel
	@failed=; for v in $(PYTHONS); do \
		p=$$( for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'import sys, venv, ensurepip; sys.exit("%d.%d" % sys.version_info[:2] != "'$$v'")' 2>/dev/null && { echo $$c; break; }; done ); \
		if test -z "$$p"; then echo "not found, so not tried: Python $$v"; continue; fi; \
		$(PY) tools/wheel_check.py dist/manikin-*_$$(uname -m).whl --python $$p || failed="$$failed $$v"; \
	done; test -z "$$failed" || { echo "failed on Python$$failed" >&2; exit 1; }

sdist: $(VENV)/.installed-dev
	$(PY) -m hatchling build -t sdist

# Each builds its wheel with compiled kernels in pip's own isolated environment. WAYS="." tries the folder alone.
WAYS = . dist/manikin-*.tar.gz git+file://$(CURDIR)
install-check: sdist
	@failed=; for v in $(PYTHONS); do \
		p=$$( for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'import sys, venv, ensurepip; sys.exit("%d.%d" % sys.version_info[:2] != "'$$v'")' 2>/dev/null && { echo $$c; break; }; done ); \
		if test -z "$$p"; then echo "not found, so not tried: Python $$v"; continue; fi; \
		for way in $(WAYS); do $(PY) tools/wheel_check.py $$way --python $$p || failed="$$failed $$v:$$way"; done; \
	done; test -z "$$failed" || { echo "failed on Python$$failed" >&2; exit 1; }

bench: $(VENV)/.installed-dev kernels
	$(PY) -m benchmarks

docs: $(VENV)/.installed-dev
	$(PY) -m sphinx -q -W --keep-going -n -b html docs build/docs
	@echo "The site is build/docs/index.html"

# Recorded people are drawn where build/posture has what tools/posture wrote.
sheets: $(VENV)/.installed-dev kernels
	$(PY) -m tools.sheets

links: $(VENV)/.installed-dev
	$(PY) -m sphinx -q -b linkcheck docs build/links

# What cannot be set up is reported in the table.
peers: $(VENV)/.installed-dev
	-$(PY) -m benchmarks.peers.setup
	$(PY) -m benchmarks peers --write

# The stamps stand for what is installed: the package alone, or with what developing needs, which includes it.
$(VENV)/.installed: pyproject.toml | $(PY)
	@echo "Installing Manikin into $(VENV) (once)"
	@MANIKIN_LEVELS=none $(PIP) install --quiet --editable ".[jit,pictures]"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(PY)
	@echo "Installing Manikin and its development tools into $(VENV) (once)"
	@MANIKIN_LEVELS=none $(PIP) install --quiet --editable ".[dev]"
	@touch $(VENV)/.installed $@

$(PY):
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv found; say which with make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) .venv-3.* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f src/manikin/kernels/_prebuilt_*.so
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
