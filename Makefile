# Two commands matter: `make train` and `make test`. Both make what they need, once, in .venv.

PYTHON  ?= python3
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || sysctl -n hw.ncpu); echo $$((n < 8 ? n : 8)))
VENV    := .venv
RUN     := $(VENV)/bin/python
PIP     := $(RUN) -m pip
INSTALL := $(PIP) install --no-compile --quiet --constraint constraints.txt
TORCH   := $(shell sed -n 's/^\(torch==[^ ;]*\).*/\1/p' constraints.txt)

ALL     := $(filter --all,$(ARGS))

# A machine without a GPU may save four gigabytes: make train TORCH_FLAGS="--index-url https://download.pytorch.org/whl/cpu"
TORCH_FLAGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules are compiled when they are first imported, and kept: setting up takes half the time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help dev train test soak lint format types pytest docs bench clients pages release clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

dev: $(VENV)/.test  ## only make the environment, .venv

train: $(VENV)/.train  ## train an agent for standard Hanabi in about five minutes; MINUTES=1 for the mini game
	@$(RUN) -m benchmarks.demo $(if $(MINUTES),--minutes $(MINUTES))

test: lint types pytest  ## lint, types, tests; ARGS=--all for every test, page and notebook; says what was skipped and why

soak: $(VENV)/.test  ## go on with the long checks; writes docs/soak.md; ARGS="--minutes 10" for a part
	@$(RUN) -m hanabako study run tests/soak/soak.py --out docs $(ARGS)

lint: $(VENV)/.test  ## ruff: rules and format
	@echo "ruff ..."
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/ruff format --quiet --check . || { echo "make format fixes this"; exit 1; }

types: $(VENV)/.test  ## pyrefly
	@echo "pyrefly ..."
	@$(VENV)/bin/pyrefly check --summary=none

pytest: $(VENV)/.test $(if $(ALL),$(VENV)/.learning-environment)  ## the tests alone
	@echo "pytest, $(WORKERS) at a time (the first run also compiles the games) ..."
	@FAST=1 $(RUN) -m pytest --quiet -n $(WORKERS) --dist worksteal tests --nbmake notebooks$(if $(ALL),,/01*) $(ARGS)

docs: $(VENV)/.docs  ## the site, in .cache/docs/html; warnings and broken internal links are errors
	@echo "Building the site; reading all pages, notebooks and docstrings takes minutes ..."
	@rm -rf .cache/docs/html/_modules  # else modules that are gone keep their pages
	@$(RUN) -m sphinx --quiet --fail-on-warning --keep-going -c docs/build -d .cache/docs/trees . .cache/docs/html
	@$(RUN) -m docs.build.check_links .cache/docs/html

format: $(VENV)/.test  ## put the code in its one format
	@$(VENV)/bin/ruff check --fix-only --quiet .
	@$(VENV)/bin/ruff format .

bench: $(VENV)/.test $(VENV)/.learning-environment  ## measure this machine and the other implementations; writes benchmarks/speed/results
	@$(RUN) -m benchmarks.speed.throughput
	@$(RUN) -m benchmarks.speed.peers
	@$(RUN) -m benchmarks.speed.compile_time
	@$(RUN) -m benchmarks.speed.learner

clients: $(VENV)/.test  ## time the recipes of other libraries (NAMES="sb3 rllib"), or test with the lowest versions (ARGS=--lowest)
	@$(if $(filter --lowest,$(ARGS)),$(RUN) -m pytest --quiet --slow tests/test_lowest.py,\
	    $(RUN) -m benchmarks.clients $(NAMES) && $(RUN) -m benchmarks.pages)

release: ARGS := --all
release: test $(VENV)/.release  ## build and check all that is uploaded; says what could not run; uploads nothing
	@$(RUN) -m tests.release

# What a game's picture in the README shows; a game without a line here is shown at the end of its first deal.
PICTURE_hanabi  := --seed 11 --moves 32 --seat 1
PICTURE_ikebana := --players 3 --seed 7 --moves 67 --seat 1
PICTURE_koikoi  := --seed 7 --moves 50 --seat 0
GAMES = $(shell $(RUN) -c "from hanabako.games import games; print(*games())")

pages: $(VENV)/.test  ## write what is generated in the READMEs: measured figures, scores, rule cards, pictures
	@$(RUN) -m benchmarks.pages
	@$(RUN) -m hanabako study page
	@$(RUN) -m docs.build.prompts
	@$(RUN) -m docs.build.networks
	@$(RUN) -m hanabako study page tests/soak/soak.py --out docs
	@$(RUN) -m docs.build.rule_card
	@$(foreach game,$(GAMES),$(RUN) -m hanabako draw $(game) docs/$(game).svg $(PICTURE_$(game)) &&) true

clean:  ## remove caches and .venv; keeps runs/
	@rm -rf $(VENV) .cache dist *.egg-info
	@find . -name __pycache__ -prune -exec rm -rf {} +

# Setting up, in steps that each happen once. A step's stamp lies in .venv and goes with it.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PIP) install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.torch: $(VENV)/.python constraints.txt
	@echo "Installing $(TORCH), the one large download ..."
	@$(PIP) install --no-compile --quiet $(TORCH) $(TORCH_FLAGS)
	@touch $@

$(VENV)/.train: $(VENV)/.torch pyproject.toml constraints.txt
	@echo "Installing Hanabako and what training needs ..."
	@$(INSTALL) --editable '.[agents,render]'
	@touch $@

$(VENV)/.test: $(VENV)/.torch pyproject.toml constraints.txt
	@echo "Installing Hanabako and what the tests need ..."
	@$(INSTALL) --editable '.[all]' --group dev
	@touch $(VENV)/.train $@

$(VENV)/.docs: $(VENV)/.train
	@echo "Installing what the site is made with ..."
	@$(INSTALL) --editable '.[agents]' --group docs
	@touch $@

$(VENV)/.release: $(VENV)/.train
	@echo "Installing what a release is checked with ..."
	@$(INSTALL) --editable . --group release
	@touch $@

# The Hanabi Learning Environment is compiled from source, so it may fail to appear: the tests against it then skip.
$(VENV)/.learning-environment: $(VENV)/.test
	@if ! command -v cmake >/dev/null || ! command -v c++ >/dev/null; then \
	    echo "Without cmake and a C++ compiler: no Hanabi Learning Environment to compare with."; \
	else \
	    echo "Building the Hanabi Learning Environment to compare with ..."; \
	    if CMAKE_POLICY_VERSION_MINIMUM=3.5 $(INSTALL) hanabi-learning-environment >$@.log 2>&1; \
	    then touch $@; else echo "It did not build ($@.log says why); the tests against it will skip."; fi; \
	fi
