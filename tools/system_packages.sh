#!/bin/sh
# What the system itself must offer before pip can do the rest: the one list of Debian packages.
#
# As root, installs the missing ones; otherwise names the exact command, and exits 1 unless only
# the tests need them. Prints nothing and touches nothing where all is there.
#
# Usage: system_packages.sh [tests]    with `tests`, also what only the tests need
set -eu
here=$(dirname "$0")

missing=""
python_state=0
"$here/find_python.sh" >/dev/null || python_state=$?
case $python_state in
    1) missing="python3-venv" ;;         # pip and venv inside the environment
    2) missing="python3 python3-venv" ;; # Debian 12 and newer have 3.11 or newer
esac

# The power-loss tests compile a small library, the pages are looked at in a browser, the
# examples of the API are run as they stand, the data pipeline runs on Spark, which is Java, and
# the object request broker talks with another one, whose stubs are compiled, and the service
# with the tools of another event service.
for_tests=""
if [ "${1:-}" = tests ]; then
    echo '#include <stdio.h>' | gcc -E -x c - >/dev/null 2>&1 || for_tests="gcc libc6-dev"
    command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
        command -v google-chrome >/dev/null 2>&1 || for_tests="$for_tests${for_tests:+ }chromium"
    command -v curl >/dev/null 2>&1 || for_tests="$for_tests${for_tests:+ }curl"
    command -v java >/dev/null 2>&1 ||
        for_tests="$for_tests${for_tests:+ }openjdk-17-jre-headless"
    { command -v g++ && command -v omniidl && command -v omniNames && command -v eventc; } \
        >/dev/null 2>&1 || for_tests="$for_tests${for_tests:+ }g++ libomniorb4-dev omniidl \
omniorb-idl omniorb-nameserver omnievents"
    # The event services of others that gateways join.
    [ -x /usr/bin/activemq ] || for_tests="$for_tests${for_tests:+ }activemq"
    for broker in mosquitto nats-server rabbitmq-server; do
        [ -x "/usr/sbin/$broker" ] ||
            for_tests="$for_tests${for_tests:+ }$broker"
    done
fi

[ -z "$missing$for_tests" ] && exit 0

if [ -z "$missing" ] && { [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; }; then
    echo "Some tests need more; on Debian: sudo apt-get install --yes $for_tests" >&2
    exit 0
fi
missing="$missing${missing:+${for_tests:+ }}$for_tests"

if ! command -v apt-get >/dev/null 2>&1; then
    echo "tidings needs Python 3.11 or newer with venv and ensurepip; none was found." >&2
    echo "Install one, or name it: make install PYTHON=<path of python>" >&2
    exit 1
fi

if [ "$(id -u)" -ne 0 ]; then
    echo "Missing system packages: $missing. Run this, then try again:" >&2
    echo "    sudo apt-get update && sudo apt-get install --yes $missing" >&2
    exit 1
fi

echo "Installing system packages: $missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet
# shellcheck disable=SC2086 # a list of words
apt-get install --yes --quiet --no-install-recommends $missing

if ! "$here/find_python.sh" >/dev/null; then
    echo "Still no Python of 3.11 or newer with venv; python3 here is:" >&2
    echo "    $(python3 --version 2>&1)" >&2
    echo "Install a newer one, or name it: make install PYTHON=<path of python>" >&2
    exit 1
fi
