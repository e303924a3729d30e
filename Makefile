# The verbs of the project; `make` alone lists them.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Stamps: an install is done again only when its lock or pyproject.toml is newer.
RUNTIME := $(VENV)/.runtime-installed
TESTING := $(VENV)/.test-installed

# The tool that makes the locks lives apart from the project.
LOCK_VENV := .venv-lock
COMPILE := $(LOCK_VENV)/bin/uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate --quiet $(if $(UPGRADE),--upgrade)

EXTRAS := $(addprefix --extra ,arrow spark jms mqtt nats amqp cosmic xml build)

PYTEST := $(BIN)/python -m pytest -n 4

# The tests start hundreds of processes; without stored bytecode each of them compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install demo test packages quick soak fuzz mutants check bench lock clean

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

install: $(RUNTIME) ## Make .venv with the tidings command (runtime lock only)

demo: install ## Install, then play the demo
	@$(BIN)/tidings demo

test: packages check ## Everything CI runs: checks, then the whole suite; a skipped test fails
	@$(BIN)/python -m tests.java_archive
	@$(PYTEST) --forbid-skips --session-timeout=4500

packages:
	@tools/system_packages.sh tests

quick: $(TESTING) ## While you work: laws and promises, all in one process
	@$(PYTEST) -q -m "not slow" --hypothesis-profile=quick tests/laws tests/promises \
		$(addprefix tests/edges/,events filters channel api idl orb stores engine)

soak: $(TESTING) ## Kill publishers and services very often, then an hour of faults at random
	@TIDINGS_SOAK_ROUNDS=1000 $(BIN)/python -m pytest -n 0 -s tests/real/faults/test_sigkill.py
	@TIDINGS_SOAK_ROUNDS=300 $(BIN)/python -m pytest -n 0 -s tests/real/faults/test_service_kills.py -k nothing_answered
	@TIDINGS_SOAK_ROUNDS=1 $(BIN)/python -m pytest -n 0 -s -o timeout=1800 tests/real/faults/test_stuck_consumer.py \
		tests/real/faults/test_socket_cuts.py tests/real/faults/test_power_loss.py tests/real/faults/test_power_loss_journal.py \
		tests/real/faults/test_bit_flips.py tests/real/faults/test_full_disk.py -k "stuck or often or survives or flipped or burnt"
	@TIDINGS_SOAK_ROUNDS=20 $(BIN)/python -m pytest -n 0 -s tests/real/pipeline/test_sink_kills.py
	@$(BIN)/python -m tests.real.faults.soak.run

fuzz: $(TESTING) ## Feed the ORB five million spoiled inputs; make test feeds it 40,000
	@TIDINGS_FUZZ_TIMES=125 $(BIN)/python -m pytest -n 0 -s -k "mutated or spoiled" -o timeout=3600 \
		tests/edges/orb/test_hostile_octets.py tests/edges/orb/aio/test_spoiled_messages.py

mutants: $(TESTING) ## Change the source at random, and say how many changes the tests notice
	@$(BIN)/python -m tests.mutants.sampling

check: $(TESTING) ## Lint, format, types, import contracts, budgets
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tools/check_budgets.py

bench: install ## Measure matching, channels, persistence, recovery, memory, the web door, attacks, access and gateways
	@for bench in match channel persist recover memory web attack access federation; do $(BIN)/tidings bench $$bench; done

lock: $(LOCK_VENV)/.installed ## Make the locks again; UPGRADE=1 takes newer versions
	@$(COMPILE) pyproject.toml $(EXTRAS) --extra test --extra dev -o requirements/test.txt
	@$(COMPILE) pyproject.toml $(EXTRAS) -c requirements/test.txt -o requirements/runtime.txt
	@echo uv | $(COMPILE) - -o requirements/uv.txt
	@git --no-pager diff --stat -- requirements

clean: ## Remove the environments, caches and results
	rm -rf $(VENV) $(LOCK_VENV) build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@tools/system_packages.sh
	@python=$$(tools/find_python.sh) && echo "Making $(VENV) with $$python" && "$$python" -m venv $(VENV)

$(RUNTIME): requirements/runtime.txt pyproject.toml | $(BIN)/python
	@echo "Installing requirements/runtime.txt"
	@$(PIP) install --require-hashes -r requirements/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(TESTING): requirements/test.txt $(RUNTIME)
	@echo "Installing requirements/test.txt"
	@$(PIP) install --require-hashes -r requirements/test.txt
	@touch $@

$(LOCK_VENV)/.installed: requirements/uv.txt
	@tools/system_packages.sh
	@"$$(tools/find_python.sh)" -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/uv.txt
	@touch $@
