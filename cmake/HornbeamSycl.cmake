# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# The SYCL toolchain WHEEL: DPC++'s headers, runtime and runtime compiler as PyPI's dpcpp-cpp-rt installs
# them, with any C++17 host compiler. Used by hornbeam's build and, installed, by programs that link it.
# For the others see HornbeamSingleSource.cmake.
#
#   hornbeam_find_sycl([<fallback root>])      defines the target hornbeam::sycl
#   hornbeam_embed_device_sources(<target> <source>...)
#                                              compiles device sources into modules inside <target>, with
#                                              native binaries for HORNBEAM_NATIVE_DEVICE, if that is set

# Sets <result> to the wheel's folder in a Python environment; empty if it is not there.
function(_hornbeam_wheel_root result)
  set(python "${HORNBEAM_PYTHON}")
  if(NOT python)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    set(python "${Python3_EXECUTABLE}")
  endif()
  set(root "")
  if(python)
    execute_process(
      COMMAND "${python}" -c "from importlib.metadata import files
print(next(f.locate().resolve().parents[1] for f in files('intel-sycl-rt') if f.name == 'libsycl.so'))"
      OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} "${root}" PARENT_SCOPE)
endfunction()

# Sets <result> to the folder that holds include/sycl and lib/libsycl.so, the first given of: the variable
# HORNBEAM_SYCL_ROOT, the environment variable of that name, <fallback> if it exists, the wheel in the
# Python environment of HORNBEAM_PYTHON (default: the active one).
function(_hornbeam_sycl_root fallback result)
  if(HORNBEAM_SYCL_ROOT)
    set(root "${HORNBEAM_SYCL_ROOT}")
  elseif(DEFINED ENV{HORNBEAM_SYCL_ROOT})
    set(root "$ENV{HORNBEAM_SYCL_ROOT}")
  elseif(EXISTS "${fallback}/lib/libsycl.so")
    set(root "${fallback}")
  else()
    _hornbeam_wheel_root(root)
  endif()
  if(NOT EXISTS "${root}/lib/libsycl.so" OR NOT EXISTS "${root}/include/sycl/sycl.hpp")
    message(FATAL_ERROR
      "hornbeam: no SYCL toolchain found (looked in '${root}'). Install it with "
      "'pip install dpcpp-cpp-rt' into the Python environment that HORNBEAM_PYTHON names, or set "
      "HORNBEAM_SYCL_ROOT to a folder that holds include/sycl and lib/libsycl.so.")
  endif()
  set(${result} "${root}" PARENT_SCOPE)
endfunction()

function(hornbeam_find_sycl)
  if(TARGET hornbeam::sycl)  # a package manager's, or found before
    if(HORNBEAM_SYCL_ROOT)
      set_property(GLOBAL PROPERTY HORNBEAM_SYCL_ROOT_IN_USE "${HORNBEAM_SYCL_ROOT}")
    endif()
    return()
  endif()
  _hornbeam_sycl_root("${ARGV0}" root)
  add_library(hornbeam::sycl INTERFACE IMPORTED GLOBAL)
  set_target_properties(hornbeam::sycl PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${root}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${root}/include"
    INTERFACE_COMPILE_DEFINITIONS SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_LINK_LIBRARIES "${root}/lib/libsycl.so;${root}/lib/libOpenCL.so"
    # RPATH and not RUNPATH: libraries that these load in turn are found through it too.
    INTERFACE_LINK_OPTIONS "LINKER:--disable-new-dtags;LINKER:-rpath,${root}/lib")
  set_property(GLOBAL PROPERTY HORNBEAM_SYCL_ROOT_IN_USE "${root}")
endfunction()

function(hornbeam_embed_device_sources target)
  set(headers "${PROJECT_SOURCE_DIR}/include")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules")
  set(native "")
  if(HORNBEAM_NATIVE_DEVICE AND HORNBEAM_NATIVE_DRIVER)
    set(native --native-device "${HORNBEAM_NATIVE_DEVICE}" --native-driver "${HORNBEAM_NATIVE_DRIVER}")
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(embedded "${CMAKE_CURRENT_BINARY_DIR}/modules/${name}.cpp")
    add_custom_command(
      OUTPUT "${embedded}"
      COMMAND hornbeam-device-compiler --include "${headers}" ${native}
        --output "${embedded}" "${source}"
      DEPENDS hornbeam-device-compiler "${source}" ${HORNBEAM_KERNEL_HEADERS}
      COMMENT "Compiling device code ${name}"
      VERBATIM)
    target_sources(${target} PRIVATE "${embedded}")
  endforeach()
endfunction()
