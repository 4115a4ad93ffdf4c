// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every failure that the library reports by itself: when, as which exception, in which words. The
/// table in docs/errors.md is printed from this file.
#pragma once

#include <cstddef>
#include <hornbeam/errors.hpp>
#include <initializer_list>
#include <string>
#include <utility>

namespace hornbeam::detail {

enum class exception_class { invalid_argument, unsupported_device, unimplemented, device_error };

/// One kind of failure. In `text`, {names} stand for what differs from case to case.
struct failure {
  exception_class thrown;
  const char* argument;  ///< what is at fault
  const char* when;      ///< the condition, in words
  const char* text;
};

namespace failures {

using kind = exception_class;

inline constexpr failure unknown_enumerator{kind::invalid_argument, "`order`, `transa`, `transb`",
                                            "not a value of its type",
                                            "{argument} is {value}, must be one of {permitted}"};
inline constexpr failure negative_size{kind::invalid_argument, "`m`, `n`, `k`, `batch`", "below 0",
                                       "{argument} is {value}, must be at least 0"};
inline constexpr failure small_leading_dimension{
    kind::invalid_argument, "`lda`, `ldb`, `ldc`",
    "below the length of a stored row (row-major) or column (column-major), or below 1",
    "{argument} is {value}, must be at least {least}"};
inline constexpr failure negative_stride{kind::invalid_argument,
                                         "`stride_a`, `stride_b`, `stride_c`", "below 0",
                                         "{argument} is {value}, must be at least 0"};
inline constexpr failure overlapping_entries{
    kind::invalid_argument, "`stride_c`",
    "`batch` is above 1, C has elements, and its entries would overlap",
    "stride_c is {value}, must be at least {least} so that the entries of the batch do not "
    "overlap"};
inline constexpr failure too_large{kind::invalid_argument, "`a`, `b`, `c`",
                                   "offsets into the matrix could overflow 64 bits",
                                   "matrix {argument} spans {value} elements, must be at most "
                                   "{most}"};
inline constexpr failure unknown_kernel{kind::invalid_argument, "`kernel`",
                                        "no deployed kernel has this id",
                                        "kernel is '{value}', must be one of {permitted}"};
inline constexpr failure null_pointer{
    kind::invalid_argument, "`a`, `b`, `c`",
    "null although C has elements; for A and B only where alpha and k are not 0",
    "{argument} is null, must point to a non-empty matrix"};
inline constexpr failure foreign_pointer{
    kind::invalid_argument, "`a`, `b`, `c`",
    "not USM of the queue's context; for A and B only where alpha and k are not 0",
    "{argument} is not a USM pointer of the queue's context, must come from sycl::malloc_device, "
    "malloc_shared or malloc_host on it"};
inline constexpr failure small_buffer{
    kind::invalid_argument, "`a`, `b`, `c`",
    "a buffer that ends before the matrix does; for A and B only where alpha and k are not 0",
    "{argument} is a buffer of {value} elements, must have at least {least}"};
inline constexpr failure long_buffer_call{
    kind::invalid_argument, "`m`, `n`, `batch`",
    "operands are buffers, which a call can't be cut into parts of",
    "{argument} is {value}, must be at most {most} for buffers; USM pointers have no such limit"};

inline constexpr failure foreign_workspace{
    kind::invalid_argument, "`workspace`",
    "not USM of the queue's context, and the call would use it",
    "workspace is not a USM pointer of the queue's context, must come from sycl::malloc_device, "
    "malloc_shared or malloc_host on it"};
inline constexpr failure small_workspace{kind::invalid_argument, "`workspace`",
                                         "smaller than `workspace_size` says",
                                         "workspace has {value} bytes, must have at least {least}"};

inline constexpr failure missing_aspect{
    kind::unsupported_device, "the queue's device", "it can't compute with the element type",
    "device '{device}' lacks aspect {aspect}, which {type} needs"};
inline constexpr failure other_backend{
    kind::unsupported_device, "the queue's device", "it is not reached through OpenCL",
    "device '{device}' is not reached through OpenCL, the only back-end built in; select its "
    "OpenCL twin (ONEAPI_DEVICE_SELECTOR=opencl:*)"};
inline constexpr failure no_spirv{
    kind::unsupported_device, "the queue's device", "its driver takes no SPIR-V",
    "the OpenCL driver of device '{device}' takes no SPIR-V modules (OpenCL error {error})"};
inline constexpr failure type_left_out{
    kind::unimplemented, "the element type", "the library was built without it",
    "this library was built without kernels for {type} (built: {permitted}); add it to "
    "HORNBEAM_DATA_TYPES"};
inline constexpr failure build_failed{
    kind::device_error, "the device's driver", "it fails to compile a kernel",
    "the driver of '{device}' failed to build a kernel (OpenCL error {error}): {log}"};
inline constexpr failure no_workspace{
    kind::device_error, "the device's memory", "it has no room for a workspace",
    "the device has no {bytes} bytes left for a workspace; pass one in the options, or use another "
    "kernel"};
inline constexpr failure kernel_not_found{
    kind::device_error, "the device's driver", "it compiles a module but finds no kernel in it",
    "the driver of '{device}' does not find kernel {kernel} (OpenCL error {error})"};

/// All of them, in the order of the table.
inline constexpr const failure* all[] = {
    &unknown_enumerator, &negative_size,       &small_leading_dimension,
    &negative_stride,    &overlapping_entries, &too_large,
    &unknown_kernel,     &null_pointer,        &foreign_pointer,
    &small_buffer,       &long_buffer_call,    &foreign_workspace,
    &small_workspace,    &missing_aspect,      &other_backend,
    &no_spirv,           &type_left_out,       &build_failed,
    &no_workspace,       &kernel_not_found};

}  // namespace failures

/// What {names} in a failure's text stand for.
using failure_values = std::initializer_list<std::pair<const char*, std::string>>;

/// The text with its {names} replaced.
inline std::string message(const failure& kind, failure_values values) {
  const std::string text = kind.text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    result += text.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    for (const auto& [key, value] : values)
      if (name == key) result += value;
    at = close + 1;
  }
  return result;
}

/// Throws what the failure says.
/// \param function of the public interface that was called.
[[noreturn]] inline void fail(const char* function, const failure& kind, failure_values values) {
  const std::string text = message(kind, values);
  switch (kind.thrown) {
    case exception_class::unsupported_device:
      throw unsupported_device(function, text);
    case exception_class::unimplemented:
      throw unimplemented(function, text);
    case exception_class::device_error:
      throw device_error(function, text);
    default:
      throw invalid_argument(function, text);
  }
}

}  // namespace hornbeam::detail
