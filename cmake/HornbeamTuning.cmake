# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tuning package, which selects kernels for the target device and generates their sources.
include_guard()

# Generates the kernels in a form: modules (sources to compile) or single-source (a header, in the folder
# generated/include). Sets in the caller: HORNBEAM_GENERATED_SOURCES; HORNBEAM_GENERATED_DEVICE_SOURCES and
# HORNBEAM_KERNEL_HEADERS, which the latter include; HORNBEAM_NATIVE_DEVICE and HORNBEAM_NATIVE_DRIVER, name
# and driver version of the device to embed native binaries for, empty for none. Configuring again is cheap
# when nothing changed, and happens by itself when a dataset, a template or the tuning package does.
macro(hornbeam_tune kernel_form)
  _hornbeam_run_tuning("${PROJECT_BINARY_DIR}/generated" "${kernel_form}")
  include("${PROJECT_BINARY_DIR}/generated/manifest.cmake")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HORNBEAM_GENERATOR_INPUTS})
endmacro()

function(_hornbeam_run_tuning output kernel_form)
  # With commas, lists reach the program as one argument each.
  string(REPLACE ";" "," targets "${HORNBEAM_TARGET_DEVICE}")
  string(REPLACE ";" "," data_types "${HORNBEAM_DATA_TYPES}")
  string(REPLACE ";" "," configurations "${HORNBEAM_CONFIGURATIONS}")
  set(arguments
    --output-dir "${output}"
    --kernel-form "${kernel_form}"
    --target-device "${targets}"
    --tune "${HORNBEAM_TUNE}"
    --tune-budget "${HORNBEAM_TUNE_BUDGET}"
    --num-kernels "${HORNBEAM_NUM_KERNELS}"
    --configurations "${configurations}"
    --selection "${HORNBEAM_SELECTION}"
    --normalisation "${HORNBEAM_NORMALISATION}"
    --data-types "${data_types}")
  if(NOT HORNBEAM_BIT_STABLE)
    list(APPEND arguments --no-bit-stable)
  endif()
  if(HORNBEAM_NATIVE_BINARIES)
    list(APPEND arguments --native-binaries)
  endif()
  if(HORNBEAM_PROBLEMS)
    get_filename_component(problems "${HORNBEAM_PROBLEMS}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    list(APPEND arguments --problems "${problems}")
  endif()
  if(HORNBEAM_DATASET_DIR)
    get_filename_component(datasets "${HORNBEAM_DATASET_DIR}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    list(APPEND arguments --dataset-dir "${datasets}")
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}/tuning" PYTHONDONTWRITEBYTECODE=1
      "${HORNBEAM_PYTHON}" -m hornbeam configure ${arguments}
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "hornbeam: tuning failed, the reason is above (exit status ${result})")
  endif()
endfunction()
