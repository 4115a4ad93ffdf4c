# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# hornbeam::headers, also called hornbeam::hornbeam: the library as headers, for toolchains that compile host
# and device code from the same source.
include_guard()

# Sets <result> to the options with which the CPU of the target device runs the kernels at full speed: they
# are compiled with the program there. For the device of this machine, what the compiler finds; for a key, the
# level of the x86-64 instruction set that it names. A list of keys gets nothing but what all of them have.
function(_hornbeam_cpu_options result)
  set(wide -mprefer-vector-width=512)
  if(NOT HORNBEAM_CPU_OPTIONS STREQUAL "AUTO")
    set(options ${HORNBEAM_CPU_OPTIONS})
  elseif(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(options "")
  elseif(HORNBEAM_TARGET_DEVICE STREQUAL "auto")
    set(options -march=native ${wide})
  elseif(HORNBEAM_TARGET_DEVICE MATCHES "^([a-z0-9]+-cpu-avx512-[0-9]+cu;?)+$")
    set(options -march=x86-64-v4 ${wide})
  elseif(HORNBEAM_TARGET_DEVICE MATCHES "^([a-z0-9]+-cpu-avx(2|512)-[0-9]+cu;?)+$")
    set(options -march=x86-64-v3)
  else()
    set(options "")
  endif()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

hornbeam_find_single_source("${HORNBEAM_TOOLCHAIN}" hornbeam_sycl_options)
hornbeam_tune(single-source)
_hornbeam_cpu_options(hornbeam_cpu_options)
message(STATUS "hornbeam: header-only for ${HORNBEAM_TOOLCHAIN}; options for the CPU: '${hornbeam_cpu_options}'")

add_library(hornbeam INTERFACE)
add_library(hornbeam::headers ALIAS hornbeam)
add_library(hornbeam::hornbeam ALIAS hornbeam)
set_target_properties(hornbeam PROPERTIES EXPORT_NAME headers)
target_include_directories(hornbeam INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>")
target_compile_features(hornbeam INTERFACE cxx_std_17)
target_compile_definitions(hornbeam INTERFACE HORNBEAM_SINGLE_SOURCE="${HORNBEAM_TOOLCHAIN}")
target_compile_options(hornbeam INTERFACE ${hornbeam_sycl_options} ${hornbeam_cpu_options})
target_link_options(hornbeam INTERFACE ${hornbeam_sycl_options})
