# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# hornbeam::hornbeam as a compiled library with its kernels as modules.
include_guard()

hornbeam_find_sycl()
hornbeam_tune(modules)

add_subdirectory(src)

add_library(hornbeam
  src/build_target.cpp
  src/device_description.cpp
  src/device_key.cpp
  src/introspection.cpp
  src/kernel_cache.cpp
  src/launch.cpp
  src/matmul.cpp
  src/opencl_loader.cpp
  src/target.cpp
  src/usm_lookup.cpp
  ${HORNBEAM_GENERATED_SOURCES})
add_library(hornbeam::hornbeam ALIAS hornbeam)
hornbeam_embed_device_sources(hornbeam ${HORNBEAM_GENERATED_DEVICE_SOURCES})
target_include_directories(hornbeam
  PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
  PRIVATE src)
target_compile_definitions(hornbeam PRIVATE
  HORNBEAM_BUILD_VERSION="${PROJECT_VERSION}"
  HORNBEAM_BUILD_TOOLCHAIN="WHEEL")
target_link_libraries(hornbeam PUBLIC hornbeam::sycl PRIVATE Threads::Threads)
set_target_properties(hornbeam PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  POSITION_INDEPENDENT_CODE ON)
if(HORNBEAM_SANITIZE)
  target_compile_options(hornbeam PUBLIC "$<BUILD_INTERFACE:-fsanitize=${HORNBEAM_SANITIZE}>"
    "$<BUILD_INTERFACE:-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g1>")
  target_link_options(hornbeam PUBLIC "$<BUILD_INTERFACE:-fsanitize=${HORNBEAM_SANITIZE}>")
endif()
