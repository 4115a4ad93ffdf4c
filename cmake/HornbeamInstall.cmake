# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# The install tree: library, headers and a package for find_package(hornbeam CONFIG).
include_guard()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(hornbeam_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hornbeam")

install(TARGETS hornbeam EXPORT hornbeamTargets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hornbeam" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_BINARY_DIR}/include/hornbeam/version.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/hornbeam")
if(NOT HORNBEAM_TOOLCHAIN STREQUAL "WHEEL")
  install(FILES "${PROJECT_BINARY_DIR}/generated/include/hornbeam/deployment.hpp"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/hornbeam")
endif()
# What was deployed and why, for people and tools.
install(FILES "${PROJECT_BINARY_DIR}/generated/manifest.json"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/hornbeam")

install(EXPORT hornbeamTargets NAMESPACE hornbeam:: DESTINATION "${hornbeam_package_dir}")
get_property(HORNBEAM_SYCL_ROOT_AT_BUILD GLOBAL PROPERTY HORNBEAM_SYCL_ROOT_IN_USE)
configure_package_config_file(cmake/hornbeamConfig.cmake.in "${PROJECT_BINARY_DIR}/hornbeamConfig.cmake"
  INSTALL_DESTINATION "${hornbeam_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hornbeamConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/hornbeamConfig.cmake"
  "${PROJECT_BINARY_DIR}/hornbeamConfigVersion.cmake"
  cmake/HornbeamSycl.cmake
  cmake/HornbeamSingleSource.cmake
  DESTINATION "${hornbeam_package_dir}")
