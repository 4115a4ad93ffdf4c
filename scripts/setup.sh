#!/bin/sh
# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the Python environment of this checkout: setup.sh FOLDER
# Checks first what it can't install itself, and says in one line what is missing.
set -eu
environment=$1
python=${PYTHON:-python3}
cxx=${CXX:-g++}

fail() {
  echo "setup: $1" >&2
  exit 1
}

case $PWD in
  *" "*) fail "the OpenCL CPU driver fails in a path with a space: move this checkout out of '$PWD'" ;;
esac
command -v git >/dev/null 2>&1 || fail "git is missing: sudo apt install git"
command -v "$cxx" >/dev/null 2>&1 || fail "$cxx is missing: sudo apt install g++"
cxx_major=$("$cxx" -dumpversion | cut -d. -f1)
[ "$cxx_major" -ge 11 ] ||
  fail "$cxx is version $cxx_major, needed is 11: sudo apt install g++-11, then make CXX=g++-11"
command -v "$python" >/dev/null 2>&1 ||
  fail "$python is missing: sudo apt install python3 python3-venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "$("$python" --version) is too old, needed is 3.10: make PYTHON=python3.11 names another one"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
  fail "$python lacks its module venv: sudo apt install python3-venv"

echo "setup: installing the pinned Python packages into $environment (2.2 GB)"
"$python" -m venv "$environment"
pip() {
  "$environment/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}
pip install --no-compile -r requirements.txt -r requirements-sycl.txt -r requirements-dev.txt
pip install --no-build-isolation --no-deps --editable .

# Only what starts often is compiled to bytecode, by importing it; pip would compile everything.
env -u PYTHONDONTWRITEBYTECODE "$environment/bin/python" -c '
import conan.cli.cli, jinja2, jsonschema, pyopencl, pytest
import sklearn.cluster, sklearn.decomposition, sklearn.tree'
