# Every chore by name; `make help` lists them. The first that needs it makes the environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export COPELAND_TEST_DATA ?= $(abspath ../shared/data)
unexport PYTHONDONTWRITEBYTECODE  # tests start many processes, which share what Python compiled

.DEFAULT_GOAL := help
.PHONY: help setup browser screenshots docs run serve test pytest nightly fast lint format bench measure leaderboard golden snapshots tables curves lock dist clean

help:  ## list the chores
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "copeland needs Python 3.11 or newer; say make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

setup: $(READY)  ## make the environment in .venv

browser:  ## install Chromium for the tests of pages, where that is missing and permitted; without it they are skipped
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  timeout 300 sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium' >/dev/null 2>&1; \
	} || echo "No Chromium is there, and none could be installed: the tests of pages in a browser are skipped."

docs: setup  ## the docs as a site: out/docs/html/index.html
	$(BIN)/python -m sphinx -W --keep-going -q -j 2 -d out/docs/doctrees docs out/docs/html

screenshots: setup browser  ## retake the pictures of docs/images from the real pages
	$(BIN)/python -m benchmarks.screenshots
	$(BIN)/python -m benchmarks.design_pictures

run: setup  ## an experiment with the paper's algorithms and ours, then a study with its verdict: pages in out/
	$(BIN)/copeland simulate mslr-5 -a cpc -a ccb -a scb -a rucb -a savage -a pbr -a rankel --horizon 1e5 --horizon 1e6 --horizon 1e7 --runs 10 --jobs 2 --out out/first-experiment --force
	@rm -f out/first-study.db* out/voter.txt
	$(BIN)/copeland study create prompts --options examples/prompts.csv --voters independent --seed 7 --storage sqlite:///out/first-study.db
	$(BIN)/copeland study judge prompts --repeat --command "$(BIN)/python examples/voter.py {left.name} {right.name} --count out/voter.txt" --storage sqlite:///out/first-study.db
	$(BIN)/copeland study status prompts --storage sqlite:///out/first-study.db
	$(BIN)/copeland study report prompts --out out/first-study.html --storage sqlite:///out/first-study.db

serve: setup  ## voting pages and a dashboard at http://127.0.0.1:8000, with a study to try, kept in out/serve.db
	@mkdir -p out
	$(BIN)/copeland serve --demo --storage sqlite:///out/serve.db

# Workers have the cores to themselves: the threads of a linear algebra library would only wait for each other there.
pytest nightly fast: export OPENBLAS_NUM_THREADS = 1

test: setup  ## everything that CI runs: lint beside the tests, which leave a core idle now and then
	$(MAKE) --jobs 2 lint pytest

# Three workers keep two cores busy: tests of pages, servers and processes wait a quarter of their time.
pytest: setup  ## the tests alone, without lint
	$(BIN)/python -m pytest -n 3 --dist worksteal

nightly: setup  ## what `make test` leaves out: long tests, those of benchmarks, and twenty times as much hostile input
	COPELAND_FUZZ=20 HYPOTHESIS_PROFILE=many $(BIN)/python -m pytest -n 3 --dist worksteal -m nightly tests copeland benchmarks/tests

fast: setup  ## the tests that take under a minute, some of each file
	HYPOTHESIS_PROFILE=few $(BIN)/python -m pytest -n 2 --dist worksteal -m "not nightly and (not slow or quick)" --durations 5

lint: setup  ## ruff and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: setup  ## let ruff put the code in form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup  ## speed against the yardsticks, measured side by side
	$(BIN)/python -m benchmarks

measure: setup  ## the big measurements; writes docs/notes/measured-*.md and docs/measurements.md
	$(BIN)/python -m benchmarks.measure

leaderboard: setup  ## problems x algorithms, resumable; writes docs/leaderboard.md (ONLY="cpc ccb": these anew; QUICK=--quick: a small one, in out/)
	$(BIN)/python -m benchmarks.leaderboard $(QUICK) $(ONLY)

golden: setup  ## rewrite the golden traces; read the diff
	COPELAND_WRITE_GOLDEN=1 $(BIN)/python -m pytest -q tests/algorithms/test_golden.py

snapshots: setup  ## rewrite the texts of tests/snapshots; read the diff
	COPELAND_WRITE_SNAPSHOTS=1 $(BIN)/python -m pytest -q tests -k snapshot

tables: setup  ## rewrite what docs/algorithms.md and docs/settings.md say of algorithms and settings, from their records; fold the long tables of other pages and draw their heat maps
	COPELAND_WRITE_TABLES=1 $(BIN)/python -m pytest -q tests/test_docs.py -k records
	$(BIN)/python -m benchmarks.pages

curves: setup  ## the regret curves of the algorithms' pages; writes docs/figures/curves.json (ONLY="ccb scb": of these)
	$(BIN)/python -m benchmarks.curves $(ONLY)

# All extras but XGBoost and Inspect, which are large and tested by their interfaces.
EXTRAS = $(shell sed -n '/optional-dependencies/,/dependency-groups/s/^\([a-z]*\) = .*/--extra \1/p' pyproject.toml | grep -v 'xgboost\|inspect')

lock: setup  ## renew requirements.lock from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev $(EXTRAS) --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet --upgrade -o requirements.lock

dist: setup  ## a wheel and an sdist in dist/, each installed and tried in an empty environment of every Python that is here
	rm -rf dist
	$(BIN)/python -m hatchling build
	.ci/smoke

clean:  ## remove the environment and everything made
	rm -rf $(VENV) out docs/generated .pytest_cache .ruff_cache .hypothesis dist
	find copeland tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
