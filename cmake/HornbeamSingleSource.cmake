# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# The SYCL toolchains that compile host and device code from the same source. Used by hornbeam's build and,
# installed, by programs that use its headers.
#
#   hornbeam_add_sycl(<target>)   compiles the target's sources as SYCL code where the toolchain needs to be
#                                 told; to be called once all sources are known. Does nothing for WHEEL.
#   hornbeam_find_single_source(<toolchain> <options>)
#                                 sets <options> to the compile and link options that programs need

function(hornbeam_add_sycl target)
  get_property(toolchain GLOBAL PROPERTY HORNBEAM_TOOLCHAIN_IN_USE)
  if(NOT toolchain STREQUAL "ADAPTIVECPP")
    return()
  endif()
  # What the package defines is local to the folder, or the function, that asked for it.
  if(NOT ACPP_COMPILER_LAUNCH_RULE OR NOT TARGET AdaptiveCpp::acpp-rt)
    find_package(AdaptiveCpp CONFIG REQUIRED QUIET)
  endif()
  get_target_property(sources "${target}" SOURCES)
  add_sycl_to_target(TARGET "${target}" SOURCES ${sources})
endfunction()

function(hornbeam_find_single_source toolchain options)
  set(${options} "" PARENT_SCOPE)
  set_property(GLOBAL PROPERTY HORNBEAM_TOOLCHAIN_IN_USE "${toolchain}")
  if(toolchain STREQUAL "ADAPTIVECPP")
    find_package(AdaptiveCpp CONFIG QUIET)
    if(NOT AdaptiveCpp_FOUND)
      message(FATAL_ERROR "hornbeam: HORNBEAM_SYCL is ADAPTIVECPP, but there is no AdaptiveCpp; "
        "add its install folder to CMAKE_PREFIX_PATH or set AdaptiveCpp_DIR.")
    endif()
  elseif(toolchain STREQUAL "DPCPP")
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS "-fsycl")
    check_cxx_source_compiles("#include <sycl/sycl.hpp>
int main() { sycl::queue queue; }" HORNBEAM_COMPILER_IS_DPCPP)
    if(NOT HORNBEAM_COMPILER_IS_DPCPP)
      message(FATAL_ERROR "hornbeam: HORNBEAM_SYCL is DPCPP, but the compiler '${CMAKE_CXX_COMPILER}' takes no "
        "-fsycl; set CMAKE_CXX_COMPILER to icpx or to DPC++'s clang++ in a new build folder.")
    endif()
    set(${options} -fsycl PARENT_SCOPE)
  endif()
endfunction()
