// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The library behind a C interface. Functions return 0, or 1 and leave "<exception class>:
/// <message>" in hb_error().

#include <cstdint>
#include <hornbeam/matmul.hpp>
#include <string>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/usm.hpp>

namespace {

thread_local std::string error;

sycl::queue& queue() {
  static auto& the_queue = *new sycl::queue;
  return the_queue;
}

template <class Body>
int guarded(Body body) {
  try {
    body();
    return 0;
  } catch (const hornbeam::invalid_argument& e) {
    error = std::string("invalid_argument: ") + e.what();
  } catch (const hornbeam::unimplemented& e) {
    error = std::string("unimplemented: ") + e.what();
  } catch (const hornbeam::unsupported_device& e) {
    error = std::string("unsupported_device: ") + e.what();
  } catch (const hornbeam::device_error& e) {
    error = std::string("device_error: ") + e.what();
  } catch (const std::exception& e) {
    error = std::string("std::exception: ") + e.what();
  }
  return 1;
}

}  // namespace

extern "C" {

/// Mirrors matmul_shape and matmul_options; absent options have their flag unset.
struct hb_call {
  std::int64_t m, n, k, batch;
  std::int64_t ld[3], stride[3];
  std::int32_t has_ld[3], has_stride[3];
  std::int32_t order, transa, transb;
  double alpha, beta;
  const char* kernel;
};

const char* hb_error() { return error.c_str(); }

void* hb_malloc(std::size_t bytes) { return sycl::malloc_shared(bytes, queue()); }
void hb_free(void* pointer) { sycl::free(pointer, queue()); }
}

namespace {

template <class T>
hornbeam::matmul_options<T> options_of(const hb_call& call) {
  hornbeam::matmul_options<T> options;
  options.order = static_cast<hornbeam::layout>(call.order);
  options.transa = static_cast<hornbeam::transpose>(call.transa);
  options.transb = static_cast<hornbeam::transpose>(call.transb);
  options.alpha = static_cast<T>(call.alpha);
  options.beta = static_cast<T>(call.beta);
  const auto given = [](std::int32_t has, std::int64_t value) {
    return has != 0 ? std::optional<std::int64_t>(value) : std::nullopt;
  };
  options.lda = given(call.has_ld[0], call.ld[0]);
  options.ldb = given(call.has_ld[1], call.ld[1]);
  options.ldc = given(call.has_ld[2], call.ld[2]);
  options.stride_a = given(call.has_stride[0], call.stride[0]);
  options.stride_b = given(call.has_stride[1], call.stride[1]);
  options.stride_c = given(call.has_stride[2], call.stride[2]);
  if (call.kernel != nullptr) options.kernel = call.kernel;
  return options;
}

hornbeam::matmul_shape shape_of(const hb_call& call) {
  return {call.m, call.n, call.k, call.batch};
}

template <class T>
int matmul(const hb_call& call, const void* a, const void* b, void* c) {
  return guarded([&] {
    hornbeam::matmul(queue(), static_cast<const T*>(a), static_cast<const T*>(b),
                     static_cast<T*>(c), shape_of(call), options_of<T>(call))
        .wait_and_throw();
  });
}

template <class T>
int explain(const hb_call& call, std::string& text) {
  return guarded([&] {
    const auto told =
        hornbeam::explain<T>(queue().get_device(), shape_of(call), options_of<T>(call));
    text = told.kernel + '\n' + told.path + '\n' + std::to_string(told.expected_share) + '\n' +
           told.target + '\n' + told.dataset_key + '\n' + told.match;
  });
}

}  // namespace

extern "C" {

int hb_matmul_float(const hb_call* call, const void* a, const void* b, void* c) {
  return matmul<float>(*call, a, b, c);
}
int hb_matmul_double(const hb_call* call, const void* a, const void* b, void* c) {
  return matmul<double>(*call, a, b, c);
}

/// The fields of the explanation, a line each; null after an error.
const char* hb_explain(int is_double, const hb_call* call) {
  thread_local std::string text;
  const int failed = is_double != 0 ? explain<double>(*call, text) : explain<float>(*call, text);
  return failed != 0 ? nullptr : text.c_str();
}

/// Ids of the deployed kernels, a line each.
const char* hb_kernels(int is_double) {
  thread_local std::string text;
  text.clear();
  const auto device = queue().get_device();
  for (const auto& id :
       is_double != 0 ? hornbeam::kernels<double>(device) : hornbeam::kernels<float>(device))
    text += id + '\n';
  return text.c_str();
}

/// Version, then a line "key dataset_key match data_type held_out_share digest" for each selection.
const char* hb_build_info() {
  thread_local std::string text;
  const auto info = hornbeam::build_info();
  text = info.version + '\n';
  for (const auto& target : info.targets)
    for (const auto& selection : target.selections)
      text += target.key + ' ' + target.dataset_key + ' ' + target.match + ' ' +
              selection.data_type + ' ' + std::to_string(selection.held_out_share) + ' ' +
              selection.dataset_digest + '\n';
  return text.c_str();
}
}
