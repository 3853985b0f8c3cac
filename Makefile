# Everything a user or contributor runs. `make run` and `make test` need git, make and Python 3.11+.

PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/installed-to-run
TESTS := .venv/installed-to-test
PINS := pyproject.toml constraints.txt setup/venv.sh
# A failure is printed at once, and a test that hangs fails, so a run that is cut off still tells why.
PYTEST := $(BIN)/pytest -n 2 --instafail --timeout 600 --durations 15

.PHONY: setup run check test lint bench prove screenshots apt-run apt-test clean

setup: $(TESTS)

$(RUNS): $(PINS)
	setup/venv.sh "$(PYTHON)" .
	touch $(RUNS)

# Ten times as large: tests play against other engines and build bots in other languages.
$(TESTS): $(PINS)
	setup/venv.sh "$(PYTHON)" '.[test]'
	touch $(RUNS) $(TESTS)

run: $(RUNS) apt-run
	$(BIN)/ladder serve

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint docker/Dockerfile

# Compiled first, a game by each core: tests would compile the same at the same time.
check: lint apt-test
	$(BIN)/ladder warmup
	$(PYTEST) -m "not slow and not proof"

test: lint apt-test
	$(BIN)/ladder warmup
	$(PYTEST)

bench: setup apt-test
	setup/apt.sh stockfish
	for part in bench/*.py; do $(BIN)/python -m bench.$$(basename $$part .py) || exit 1; done

prove: setup apt-test
	setup/apt.sh robocode javac=default-jdk-headless go=golang-go rustc=rustc stockfish
	$(BIN)/pytest -m proof -n 2
	for part in prove/*.py; do $(BIN)/python -m prove.$$(basename $$part .py) || exit 1; done

screenshots: setup apt-test
	$(BIN)/python docs/screenshots.py

apt-run:
	setup/apt.sh bwrap=bubblewrap

apt-test:
	setup/apt.sh bwrap=bubblewrap postgresql chromium=chromium gcc=gcc openssl=openssl \
		clang=clang wasm-ld=lld wasi-libc libclang-rt-dev-wasm32

clean:
	rm -rf .venv
