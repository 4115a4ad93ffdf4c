// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a device has to have for an element type, on devices that are made up.

#include <algorithm>
#include <hornbeam/detail/data_type.hpp>
#include <vector>

#include "harness.hpp"

namespace {

using hornbeam::unsupported_device;
using hornbeam::detail::data_type;

struct made_up_device {
  std::vector<sycl::aspect> aspects;

  bool has(sycl::aspect aspect) const {
    return std::find(aspects.begin(), aspects.end(), aspect) != aspects.end();
  }
  template <class Info>
  std::string get_info() const {
    return "Acme";
  }
};

void plain_device_computes_with_float_alone() {
  const made_up_device plain{{sycl::aspect::gpu}};
  data_type<float>::require(plain, "matmul");
  require_throws<unsupported_device>("matmul: device 'Acme' lacks aspect fp64, which double needs",
                                     [&] { data_type<double>::require(plain, "matmul"); });
  require_throws<unsupported_device>("prepare: device 'Acme' lacks aspect fp16, which half needs",
                                     [&] { data_type<sycl::half>::require(plain, "prepare"); });
}

void types_need_no_aspect_of_each_other() {
  const made_up_device with_half{{sycl::aspect::fp16}}, with_double{{sycl::aspect::fp64}};
  data_type<sycl::half>::require(with_half, "matmul");
  data_type<double>::require(with_double, "matmul");
  require_throws<unsupported_device>("fp64",
                                     [&] { data_type<double>::require(with_half, "matmul"); });
  require_throws<unsupported_device>(
      "fp16", [&] { data_type<sycl::half>::require(with_double, "matmul"); });
}

}  // namespace

int main(int argc, char** argv) {
  return run_tests(
      {
          {"plain_device_computes_with_float_alone", plain_device_computes_with_float_alone},
          {"types_need_no_aspect_of_each_other", types_need_no_aspect_of_each_other},
      },
      argc, argv);
}
