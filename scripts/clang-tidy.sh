#!/bin/sh
# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy on the library and the build-time tools; exits with its verdict.
set -eu
build=build/check
python=$(command -v python)

cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DHORNBEAM_TUNE=OFF -DHORNBEAM_BUILD_TESTS=OFF -DHORNBEAM_BUILD_PYTHON=ON \
  -DHORNBEAM_PYTHON="$python" > /dev/null
run-clang-tidy.py -quiet -p "$build" "$(pwd)/src/.*" > "$build/clang-tidy.log" 2>&1 || {
  grep -E "warning:|error:" "$build/clang-tidy.log" | sort -u || true
  echo "details: $build/clang-tidy.log" >&2
  exit 1
}
