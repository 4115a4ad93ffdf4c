// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The library behind a C interface, which hornbeam.library loads in Python
/// (tuning/hornbeam/library). All calls run on one queue of the default device and wait for it.
/// Functions return 0 and leave their answer in hornbeam_text(), or 1 and leave the error there,
/// {"kind": ..., "message": ...}.

#include <cstdint>
#include <hornbeam/detail/data_type.hpp>
#include <hornbeam/matmul.hpp>
#include <limits>
#include <new>
#include <string>
#include <sycl/sycl.hpp>

#include "../json.hpp"

namespace {

using hornbeam::json::object;

/// Changes with whatever Python must know of this file: functions, structures, texts.
constexpr int interface_version = 2;

/// Stands for an option that is not given.
constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();

thread_local std::string text;

/// \throws unsupported_device if there is no device.
sycl::queue* new_queue() {
  const auto rethrow = [](const sycl::exception_list& errors) {
    for (const auto& error : errors) std::rethrow_exception(error);
  };
  try {
    return new sycl::queue(rethrow);
  } catch (const sycl::exception& error) {
    throw hornbeam::unsupported_device(
        "python", std::string("there is no SYCL device: ") + error.what() +
                      "; install its vendor's driver or dpcpp-cpp-rt, see 'hornbeam doctor'");
  }
}

/// Lives until the process ends, as what the library keeps for its context does.
sycl::queue& queue() {
  static auto& the_queue = *new_queue();
  return the_queue;
}

int failed(const char* kind, const std::exception& error) {
  text = object().field("kind", kind).field("message", error.what()).line();
  return 1;
}

template <class Body>
int answered(Body body) {
  try {
    text = body();
    return 0;
  } catch (const hornbeam::invalid_argument& error) {
    return failed("invalid_argument", error);
  } catch (const hornbeam::unimplemented& error) {
    return failed("unimplemented", error);
  } catch (const hornbeam::unsupported_device& error) {
    return failed("unsupported_device", error);
  } catch (const hornbeam::device_error& error) {
    return failed("device_error", error);
  } catch (const sycl::exception& error) {
    return failed("sycl", error);
  } catch (const std::bad_alloc& error) {
    return failed("bad_alloc", error);
  } catch (const std::exception& error) {
    return failed("exception", error);
  }
}

}  // namespace

extern "C" {
/// matmul_shape and matmul_options; A, B, C in this order.
struct hornbeam_call {
  std::int64_t m, n, k, batch;
  std::int64_t ld[3], stride[3];
  std::int32_t order, transa, transb;
  double alpha, beta;
  const char* kernel;
};
}

namespace {

std::optional<std::int64_t> given(std::int64_t value) {
  return value == absent ? std::nullopt : std::optional(value);
}

hornbeam::matmul_shape shape_of(const hornbeam_call& call) {
  return {call.m, call.n, call.k, call.batch};
}

template <class T>
hornbeam::matmul_options<T> options_of(const hornbeam_call& call) {
  hornbeam::matmul_options<T> options;
  options.order = static_cast<hornbeam::layout>(call.order);
  options.transa = static_cast<hornbeam::transpose>(call.transa);
  options.transb = static_cast<hornbeam::transpose>(call.transb);
  options.alpha = static_cast<T>(call.alpha);
  options.beta = static_cast<T>(call.beta);
  options.lda = given(call.ld[0]);
  options.ldb = given(call.ld[1]);
  options.ldc = given(call.ld[2]);
  options.stride_a = given(call.stride[0]);
  options.stride_b = given(call.stride[1]);
  options.stride_c = given(call.stride[2]);
  if (call.kernel != nullptr) options.kernel = call.kernel;
  return options;
}

template <class T>
void matmul(const hornbeam_call& call, const void* a, const void* b, void* c) {
  hornbeam::matmul(queue(), static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                   shape_of(call), options_of<T>(call))
      .wait_and_throw();
}

template <class T>
hornbeam::explanation explain(const hornbeam_call& call) {
  return hornbeam::explain<T>(queue().get_device(), shape_of(call), options_of<T>(call));
}

/// The library's functions for one element type.
struct element_type {
  const char* name;  ///< as in HORNBEAM_DATA_TYPES
  std::size_t size;  ///< in bytes
  void (*matmul)(const hornbeam_call&, const void*, const void*, void*);
  hornbeam::explanation (*explain)(const hornbeam_call&);
  std::vector<std::string> (*kernels)(const sycl::device&);
  void (*prepare)(sycl::queue&);
};

constexpr element_type element_types[] = {
#define HORNBEAM_FUNCTIONS(T)            \
  {hornbeam::detail::data_type<T>::name, \
   sizeof(T),                            \
   matmul<T>,                            \
   explain<T>,                           \
   hornbeam::kernels<T>,                 \
   hornbeam::prepare<T>},
    HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_FUNCTIONS)
#undef HORNBEAM_FUNCTIONS
};

/// \throws unimplemented
const element_type& element_type_of(const char* name) {
  std::string known;
  for (const auto& type : element_types) {
    if (type.name == std::string(name)) return type;
    known += std::string(known.empty() ? "" : ", ") + type.name;
  }
  throw hornbeam::unimplemented(
      "python", "element type is '" + std::string(name) + "', must be one of " + known);
}

template <class T>
std::vector<object> each(const std::vector<T>& values, object (*describe)(const T&)) {
  std::vector<object> objects;
  objects.reserve(values.size());
  for (const T& value : values) objects.push_back(describe(value));
  return objects;
}

object described(const hornbeam::selection_information& selection) {
  return object()
      .field("data_type", selection.data_type)
      .field("kernels", selection.kernels)
      .field("held_out_share", selection.held_out_share)
      .field("dataset_digest", selection.dataset_digest)
      .field("note", selection.note);
}

object described(const hornbeam::target_information& target) {
  return object()
      .field("key", target.key)
      .field("dataset_key", target.dataset_key)
      .field("match", target.match)
      .field("selections", each(target.selections, described));
}

}  // namespace

extern "C" {

HORNBEAM_API int hornbeam_interface_version() { return interface_version; }

/// What this thread's last call left.
HORNBEAM_API const char* hornbeam_text() { return text.c_str(); }

/// Answers {element type: its type in Python's array interfaces, without the order of bytes}.
HORNBEAM_API int hornbeam_data_types() {
  return answered([] {
    object types;
    for (const auto& type : element_types) types.field(type.name, "f" + std::to_string(type.size));
    return types.line();
  });
}

/// Answers {"version", "toolchain", "targets": [...]}; needs no device.
HORNBEAM_API int hornbeam_build_info() {
  return answered([] {
    const auto info = hornbeam::build_info();
    return object()
        .field("version", info.version)
        .field("toolchain", info.toolchain)
        .field("targets", each(info.targets, described))
        .line();
  });
}

/// Answers {"name", "driver"} of the device that everything runs on.
HORNBEAM_API int hornbeam_device() {
  return answered([] {
    const auto device = queue().get_device();
    return object()
        .field("name", device.get_info<sycl::info::device::name>())
        .field("driver", device.get_info<sycl::info::device::driver_version>())
        .line();
  });
}

/// Memory that host and device share.
HORNBEAM_API int hornbeam_malloc(std::size_t bytes, void** pointer) {
  return answered([=] {
    *pointer = sycl::malloc_shared(bytes, queue());
    if (*pointer == nullptr) throw std::bad_alloc();
    return "";
  });
}

HORNBEAM_API int hornbeam_free(void* pointer) {
  return answered([=] {
    sycl::free(pointer, queue());
    return "";
  });
}

/// Answers whether the device may use a pointer: 1 or 0.
HORNBEAM_API int hornbeam_is_usm(const void* pointer) {
  return answered([=] {
    const auto kind = sycl::get_pointer_type(pointer, queue().get_context());
    return kind == sycl::usm::alloc::unknown ? "0" : "1";
  });
}

/// Answers the ids of the deployed kernels, a list.
HORNBEAM_API int hornbeam_kernels(const char* type) {
  return answered(
      [=] { return hornbeam::json::array(element_type_of(type).kernels(queue().get_device())); });
}

HORNBEAM_API int hornbeam_prepare(const char* type) {
  return answered([=] {
    element_type_of(type).prepare(queue());
    return "";
  });
}

/// Answers the fields of the explanation.
HORNBEAM_API int hornbeam_explain(const char* type, const hornbeam_call* call) {
  return answered([=] {
    const auto told = element_type_of(type).explain(*call);
    return object()
        .field("kernel", told.kernel)
        .field("path", told.path)
        .field("expected_share", told.expected_share)
        .field("target", told.target)
        .field("dataset_key", told.dataset_key)
        .field("match", told.match)
        .field("device", told.device)
        .field("bit_stable", told.bit_stable)
        .line();
  });
}

HORNBEAM_API int hornbeam_matmul(const char* type, const hornbeam_call* call, const void* a,
                                 const void* b, void* c) {
  return answered([=] {
    element_type_of(type).matmul(*call, a, b, c);
    return "";
  });
}
}
