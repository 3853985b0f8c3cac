#!/bin/sh
# Makes .venv with the pinned packages. Usage: setup/venv.sh PYTHON PROJECT
# where PROJECT is what pip installs: . to run, .[test] to test as well.
set -eu
cd "$(dirname "$0")/.."
python=$1
project=$2

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Evoladder needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1)." >&2
    echo "Name another one: make PYTHON=python3.12 …" >&2
    exit 1
}
# The Python of Debian lacks modules that venv needs.
"$python" -c 'import ensurepip, venv' 2>/dev/null || setup/apt.sh python3-venv

[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable "$project"
