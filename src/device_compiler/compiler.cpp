// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <sycl/sycl.hpp>

#include "../opencl.hpp"

namespace hornbeam::device_compiler {
namespace {

namespace experimental = sycl::ext::oneapi::experimental;

/// Name of the only entry point of a SPIR-V module, without the compiler's prefix.
std::string entry_point(const std::vector<unsigned char>& bytes) {
  constexpr std::uint32_t header_words = 5, entry_point_opcode = 15, name_word = 3;
  constexpr const char* prefix = "__sycl_kernel_";
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  std::string found;
  for (std::size_t at = header_words; at < words.size() && (words[at] >> 16) != 0;
       at += words[at] >> 16) {
    if ((words[at] & 0xffffU) != entry_point_opcode) continue;
    if (!found.empty()) throw std::runtime_error("a module holds more than one kernel");
    found = reinterpret_cast<const char*>(&words[at + name_word]);
  }
  if (found.rfind(prefix, 0) != 0)
    throw std::runtime_error("a module holds no free-function kernel");
  return found.substr(std::strlen(prefix));
}

std::vector<std::string> build_options(const std::vector<std::string>& include_directories) {
  std::vector<std::string> options{"-O3", "-fsycl-device-code-split=per_kernel"};
  for (const auto& directory : include_directories) options.push_back("-I" + directory);
  return options;
}

/// A device to compile for; the result does not depend on which.
sycl::device any_spirv_device() {
  for (const auto& device : sycl::device::get_devices()) {
    if (device.get_backend() != sycl::backend::opencl) continue;
    const detail::owned<cl_device_id> native(sycl::get_native<sycl::backend::opencl>(device));
    if (detail::takes_spirv(native.get())) return device;
  }
  throw std::runtime_error("there is no OpenCL device here whose driver takes SPIR-V");
}

}  // namespace

std::vector<compiled_kernel> compile(const std::string& source,
                                     const std::vector<std::string>& include_directories) {
  auto bundle = experimental::create_kernel_bundle_from_source(
      sycl::context(any_spirv_device()), experimental::source_language::sycl, source);
  std::string log;
  std::vector<compiled_kernel> kernels;
  try {
    const auto built = experimental::build(
        bundle,
        experimental::properties{experimental::build_options{build_options(include_directories)},
                                 experimental::save_log{&log}});
    for (const auto& image : built) {
      const auto content = image.ext_oneapi_get_backend_content();
      const auto* begin = reinterpret_cast<const unsigned char*>(content.data());
      std::vector<unsigned char> bytes(begin, begin + content.size());
      auto function = entry_point(bytes);
      kernels.push_back({std::move(function), std::move(bytes)});
    }
  } catch (const sycl::exception& error) {
    throw compile_error(log.empty() ? error.what() : log);
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& x, const auto& y) { return x.function < y.function; });
  return kernels;
}

}  // namespace hornbeam::device_compiler
