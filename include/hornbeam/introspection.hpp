// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What was built into the library, and what it would do.
#pragma once

#include <hornbeam/detail/api.hpp>
#include <hornbeam/detail/element_types.hpp>
#include <hornbeam/detail/sycl.hpp>
#include <hornbeam/types.hpp>
#include <string>
#include <vector>

namespace hornbeam {

/// Which kernel a call would use, and why.
struct explanation {
  std::string kernel;  ///< id, one of kernels()
  std::string path;  ///< the comparisons that led to it, in words; empty where there was no choice
  double expected_share;    ///< of the best measured speed on similar sizes, 0..1; NaN when never
                            ///< measured
  std::string target;       ///< key of the target that serves the device, one of build_info()'s
  std::string dataset_key;  ///< key of the device that was measured for this target; empty where
                            ///< none was
  std::string match;   ///< how closely the device at hand matches the one that was measured: exact,
                       ///< the same key; family, the same type and architecture; default, neither;
                       ///< empty where none was measured
  std::string device;  ///< key of the device at hand, as 'hornbeam devices' prints it; "unknown"
                       ///< where its driver does not answer
  bool bit_stable;     ///< the kernel gives the same bits as every other one of which this is true
};

/// The kernels deployed for one element type, and what they were chosen by.
struct selection_information {
  std::string data_type;
  std::vector<std::string> kernels;
  double held_out_share;  ///< of the best measured speed on sizes kept out of the training; or NaN
  std::string
      dataset_digest;  ///< SHA-256 of the measurements, hexadecimal; empty where there were none
  std::string note;
};

/// One device the library was tuned for.
struct target_information {
  std::string key;
  std::string dataset_key;  ///< of the device that was measured for it; empty where none was
  std::string match;        ///< how closely that device matches the target, see explanation
  std::vector<selection_information> selections;
};

/// How this library was built.
struct build_information {
  std::string version;
  std::string toolchain;
  std::vector<target_information> targets;
};

/// Version, toolchain, targets and datasets of this build.
HORNBEAM_API build_information build_info();

/// Ids of the kernels deployed for this device and type, the reference kernel last.
/// \throws unimplemented if the library was built without the type.
template <class T>
HORNBEAM_API std::vector<std::string> kernels(const sycl::device& device);

/// What matmul would do with the same arguments. Pointers play no part in it. Asks the device for
/// its key when it is first called for it, which takes a fraction of a second.
/// \throws invalid_argument as matmul does; unimplemented if the library was built without the
/// type.
template <class T>
HORNBEAM_API explanation explain(const sycl::device& device, matmul_shape shape,
                                 const matmul_options<T>& options = {});

/// Compiles every deployed kernel of the type for the queue's context and device, so that no later
/// call waits for the driver's compiler. Takes seconds; safe to call from several threads.
/// \throws unsupported_device, unimplemented, device_error.
template <class T>
HORNBEAM_API void prepare(sycl::queue& queue);

#if !defined(HORNBEAM_SINGLE_SOURCE)
#define HORNBEAM_DECLARE(T)                                                              \
  extern template HORNBEAM_API std::vector<std::string> kernels<T>(const sycl::device&); \
  extern template HORNBEAM_API explanation explain<T>(const sycl::device&, matmul_shape, \
                                                      const matmul_options<T>&);         \
  extern template HORNBEAM_API void prepare<T>(sycl::queue&);
HORNBEAM_FOR_EACH_ELEMENT_TYPE(HORNBEAM_DECLARE)
#undef HORNBEAM_DECLARE
#endif

}  // namespace hornbeam

#if defined(HORNBEAM_SINGLE_SOURCE)
#include <hornbeam/detail/single_source/introspection.hpp>
#endif
