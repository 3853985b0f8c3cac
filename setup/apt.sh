#!/bin/sh
# Installs the Debian packages that are missing, when that is possible.
# Usage: setup/apt.sh PACKAGE…, or COMMAND=PACKAGE for one that is there when its command is.
set -eu
missing=
for wanted in "$@"; do
    package=${wanted#*=}
    command -v "${wanted%%=*}" >/dev/null && [ "$wanted" != "$package" ] && continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # A system that updates itself holds the lock for a while.
    # shellcheck disable=SC2086
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "Not installed:$missing." >&2
    echo "Install with your package manager, for example: sudo apt-get install$missing" >&2
    echo "Continuing without them; the parts that need them will say so." >&2
fi
