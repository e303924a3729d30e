#!/bin/sh
# Prints a Python of 3.11 or newer that can make a virtual environment.
#
# Exit 0: found, its path on standard output. Exit 1: a new enough Python is there, but without
# venv and ensurepip. Exit 2: no new enough Python at all. PYTHON=... names the one to take.
set -u

found_without_venv=""
for name in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
    path=$(command -v "$name" 2>/dev/null) || continue
    "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if "$path" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$path"
        exit 0
    fi
    found_without_venv=$path
done
[ -n "$found_without_venv" ] && exit 1
exit 2
