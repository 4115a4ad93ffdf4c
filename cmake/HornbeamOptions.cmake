# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# What a build can choose. Values that are names are checked where they are used: by the tuning package,
# which lists the valid ones.
include_guard()

set(HORNBEAM_TARGET_DEVICE "auto" CACHE STRING
  "Devices to tune for: auto (the one of this machine), dataset keys; the device in use chooses among them")
set(HORNBEAM_TUNE "AUTO" CACHE STRING
  "AUTO: reuse measurements, else measure; REUSE: never measure; FORCE: measure now; OFF: defaults")
set_property(CACHE HORNBEAM_TUNE PROPERTY STRINGS AUTO REUSE FORCE OFF)
set(HORNBEAM_TUNE_BUDGET "600" CACHE STRING "Seconds that measuring may take")
set(HORNBEAM_PROBLEMS "" CACHE FILEPATH "CSV of own problem sizes (m,k,n[,batch,transpose_a,transpose_b])")
set(HORNBEAM_NUM_KERNELS "0" CACHE STRING "Kernels to deploy, 1..64; 0: as many as held-out scores justify")
set(HORNBEAM_CONFIGURATIONS "*" CACHE STRING
  "Kernels that may be deployed: patterns of their names, such as register_tile_*")
option(HORNBEAM_BIT_STABLE
  "Deploy only kernels that give the same bits, so that results do not depend on which is chosen" ON)
set(HORNBEAM_SELECTION "pca_kmeans" CACHE STRING "Method that selects the kernels")
set(HORNBEAM_NORMALISATION "scaled" CACHE STRING "Scale on which kernels are compared")
set(HORNBEAM_DATA_TYPES "float;double" CACHE STRING "Element types to build: float, double, half")
set(HORNBEAM_DATASET_DIR "" CACHE PATH
  "Folder of datasets, searched first and written to; default: a cache folder of the user")
option(HORNBEAM_NATIVE_BINARIES
  "Embed the driver's binaries of the kernels too, if the target device is in the build machine" OFF)
set(HORNBEAM_SYCL "AUTO" CACHE STRING
  "SYCL toolchain: WHEEL (the PyPI package dpcpp-cpp-rt), ADAPTIVECPP, DPCPP; AUTO: WHEEL")
set(_hornbeam_toolchains AUTO WHEEL ADAPTIVECPP DPCPP)
set_property(CACHE HORNBEAM_SYCL PROPERTY STRINGS ${_hornbeam_toolchains})
set(HORNBEAM_CPU_OPTIONS "AUTO" CACHE STRING
  "Compile options for the CPU that a header-only build (ADAPTIVECPP, DPCPP) runs on; AUTO: those of the target device")
set(HORNBEAM_PYTHON "" CACHE FILEPATH
  "Python interpreter with the tuning package's dependencies; default: the active one")
set(HORNBEAM_SYCL_ROOT "" CACHE PATH
  "Folder with include/sycl and lib/libsycl.so; default: that of the wheel in HORNBEAM_PYTHON")
option(HORNBEAM_BUILD_TESTS "Build the C++ tests" ${PROJECT_IS_TOP_LEVEL})
option(HORNBEAM_BUILD_BENCHMARKS "Build the C++ benchmarks" OFF)
option(HORNBEAM_BUILD_PYTHON "Build the module that the Python package loads" OFF)
option(HORNBEAM_INSTALL "Define install rules" ${PROJECT_IS_TOP_LEVEL})
set(HORNBEAM_SANITIZE "" CACHE STRING
  "Sanitizers for the library and all that links it, as -fsanitize= takes them; for developers")

if(NOT HORNBEAM_SYCL IN_LIST _hornbeam_toolchains)
  list(JOIN _hornbeam_toolchains ", " _hornbeam_toolchains)
  message(FATAL_ERROR "hornbeam: unknown HORNBEAM_SYCL '${HORNBEAM_SYCL}'; valid: ${_hornbeam_toolchains}")
endif()
set(HORNBEAM_TOOLCHAIN "${HORNBEAM_SYCL}")
if(HORNBEAM_TOOLCHAIN STREQUAL "AUTO")
  set(HORNBEAM_TOOLCHAIN WHEEL)
endif()

foreach(_hornbeam_option IN ITEMS HORNBEAM_NATIVE_BINARIES HORNBEAM_SANITIZE)
  if(${_hornbeam_option} AND NOT HORNBEAM_TOOLCHAIN STREQUAL "WHEEL")
    message(FATAL_ERROR "hornbeam: ${_hornbeam_option} is '${${_hornbeam_option}}', which HORNBEAM_SYCL=WHEEL "
      "alone can do; HORNBEAM_SYCL is ${HORNBEAM_TOOLCHAIN}")
  endif()
endforeach()

if(NOT HORNBEAM_PYTHON)
  find_package(Python3 3.10 COMPONENTS Interpreter REQUIRED)
  set(HORNBEAM_PYTHON "${Python3_EXECUTABLE}")
endif()
