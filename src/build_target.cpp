// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "build_target.hpp"

#include <cstdint>
#include <cstdio>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace hornbeam::detail {
namespace {

#if defined(__x86_64__) || defined(__i386__)

/// The registers of CPUID leaves that say what the processor is and can do. Names are no
/// substitute: virtual machines call many processors alike.
std::string instruction_set() {
  constexpr std::uint32_t features = 1, extended_features = 7, avx10 = 0x24, more = 0x80000001U;
  constexpr std::uint32_t os_uses_xsave = 1U << 27;
  std::string text = "x86";
  const auto add = [&text](std::uint32_t value) {
    char digits[12];
    std::snprintf(digits, sizeof digits, " %x", value);
    text += digits;
  };
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  const auto ask = [&](std::uint32_t leaf, std::uint32_t part) {
    if (__get_cpuid_count(leaf, part, &a, &b, &c, &d) == 0) a = b = c = d = 0;
  };
  ask(features, 0);
  add(a), add(c), add(d);          // b differs from core to core
  if ((c & os_uses_xsave) != 0) {  // vector registers that the operating system keeps
    std::uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    add(low);
  }
  for (const std::uint32_t part : {0U, 1U}) {
    ask(extended_features, part);
    add(a), add(b), add(c), add(d);
  }
  ask(avx10, 0);
  add(b);
  ask(more, 0);
  add(c), add(d);
  return text;
}

#else

std::string instruction_set() { return "host"; }

#endif

bool is_host(cl_device_id device) {
  cl_device_type type = 0;
  clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

}  // namespace

build_target build_target_of(cl_device_id device) {
  return {device_text(device, CL_DEVICE_NAME), device_text(device, CL_DRIVER_VERSION),
          is_host(device) ? instruction_set() : ""};
}

}  // namespace hornbeam::detail
