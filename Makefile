# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything is made inside this checkout: .venv (Python packages), .conan2 (Conan's cache), build.
.DELETE_ON_ERROR:
.PHONY: help setup package demo vgg16 study test bench bench-tuner check format clean

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

VENV := .venv
SETUP := $(VENV)/.set-up
BENCH_SETUP := $(VENV)/.set-up-bench
CONAN_HOME ?= $(CURDIR)/.conan2
export CONAN_HOME
SYSTEM_PATH := $(PATH)
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

PROBLEMS := $(addprefix tuning/hornbeam/operations/matmul/problems/,vgg16.csv resnet50.csv mobilenet.csv)
PYTHON_FILES := tuning tests benchmarks samples conanfile.py conan test_package
VGG16 := build/vgg16
VGG16_ROUNDS := 15
FIND_CXX := find include src tests samples test_package conan benchmarks \
  -name build -prune -o -name '*.[ch]pp' -print0

CONAN_CONF := -c user.hornbeam:python="$(CURDIR)/$(VENV)/bin/python" \
  -c tools.cmake.cmaketoolchain:generator=Ninja -c tools.cmake.cmaketoolchain:user_presets= \
  -c tools.cmake.cmake_layout:test_folder="$(CURDIR)/build/test_package"
CONAN_CREATE = conan create --no-remote --build=missing --test-missing $(CONAN_CONF)

help:
	@echo 'make demo    build a package tuned for this machine and a program that uses it; run that'
	@echo 'make vgg16   time VGG16 on hornbeam and on what other libraries are here; draw it'
	@echo 'make study   compare all methods on every stored dataset; pages in build/studies'
	@echo 'make test    run all tests'
	@echo 'make bench   measure hornbeam against other libraries; BENCH_ARGS=--quick: 5 minutes'
	@echo 'make bench-tuner  replay the tuner on stored measurements; draw what it finds'
	@echo 'make check   run the linters and type checks'
	@echo 'make format  format the sources'
	@echo 'make clean   remove what was built, keep .venv and .conan2'

setup: $(SETUP)

$(SETUP): requirements.txt requirements-sycl.txt requirements-dev.txt \
  requirements-distributed.txt samples/vgg16/requirements.txt pyproject.toml scripts/setup.sh
	@PATH="$(SYSTEM_PATH)" scripts/setup.sh $(VENV)
	@touch $@

$(BENCH_SETUP): $(SETUP) requirements-bench.txt
	@echo 'setup: installing the other libraries and matplotlib into $(VENV) (0.9 GB)'
	@python -m pip --disable-pip-version-check --quiet install --no-compile -r requirements-bench.txt
	@touch $@

package: $(SETUP)
	@test -f "$$CONAN_HOME/profiles/default" || conan profile detect -vquiet >/dev/null
	@echo '--- package of the SYCL runtime'
	@$(CONAN_CREATE) -vwarning conan/sycl-wheel
	@echo '--- package of hornbeam, tuned for this machine'
	@$(CONAN_CREATE) .

demo: package
	@echo '--- samples/consumer'
	@conan install samples/consumer --no-remote -vwarning --output-folder build/consumer $(CONAN_CONF)
	@cmake -S samples/consumer -B build/consumer -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_TOOLCHAIN_FILE=conan_toolchain.cmake
	@cmake --build build/consumer
	@. build/consumer/conanrun.sh && build/consumer/consumer $(PROBLEMS)

vgg16: package $(VGG16)/weights $(BENCH_SETUP)
	@echo '--- samples/vgg16'
	@conan install samples/vgg16 --no-remote -vwarning --output-folder $(VGG16) $(CONAN_CONF)
	@cmake -S samples/vgg16 -B $(VGG16) -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_TOOLCHAIN_FILE=conan_toolchain.cmake -DVGG16_ONEMKL_ROOT="$(CURDIR)/$(VENV)"
	@cmake --build $(VGG16)
	@. $(VGG16)/conanrun.sh && $(VGG16)/vgg16 --weights $(VGG16)/weights \
	  --rounds $(VGG16_ROUNDS) --json $(VGG16)/times.json $(VGG16_ARGS)
	@python samples/vgg16/plot.py $(VGG16)/times.json --plot $(VGG16)/times.svg

$(VGG16)/weights: samples/vgg16/make_weights.py samples/vgg16/convert_weights.py | $(SETUP)
	@mkdir -p $(VGG16)
	@python samples/vgg16/make_weights.py $(VGG16)/weights.h5
	@python samples/vgg16/convert_weights.py $(VGG16)/weights.h5 $@
	@rm $(VGG16)/weights.h5
	@touch $@

study: $(SETUP)
	@for file in tuning/{datasets,studies}/*/*.csv.gz; do \
	  folder=$${file%/*}; name=$${file##*/}; name=$${name%.csv.gz}; place=$${folder%/*}; \
	  echo "--- $$file"; \
	  hornbeam study --dataset-dir "$$place" --target "$${folder##*/}" \
	    --operation "$${name%%-*}" --type "$${name#*-}" --out "build/studies/$${folder#tuning/}/$$name"; \
	done

test: $(SETUP)
	@python -m pytest $(PYTEST_ARGS)

bench: $(BENCH_SETUP)
	@python benchmarks/peers/run.py $(BENCH_ARGS)

bench-tuner: $(BENCH_SETUP)
	@python benchmarks/tuner/run.py $(BENCH_ARGS)

check: $(SETUP)
	@ruff check $(PYTHON_FILES)
	@ruff format --check $(PYTHON_FILES)
	@mypy
	@$(FIND_CXX) | xargs -0 clang-format --dry-run -Werror
	@scripts/clang-tidy.sh

format: $(SETUP)
	@ruff check --fix-only --quiet $(PYTHON_FILES)
	@ruff format $(PYTHON_FILES)
	@$(FIND_CXX) | xargs -0 clang-format -i

clean:
	rm -rf build
