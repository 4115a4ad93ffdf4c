// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// How modules become kernels: from native binaries, where these fit, else from SPIR-V.
///
///   hornbeam_native_test                      lists the tests
///   hornbeam_native_test NAME                 runs one
///   hornbeam_native_test make|load FILE       writes a native binary; multiplies with it
///   hornbeam_native_test embedded             loads all kernels of the library
///
/// The last two print "native" or "spirv" for the way that each kernel was loaded.

#include "device_compiler/native.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <hornbeam/detail/deployment.hpp>
#include <hornbeam/errors.hpp>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "build_target.hpp"
#include "launch.hpp"
#include "module_loader.hpp"
#include "opencl.hpp"

namespace {

namespace detail = hornbeam::detail;
using bytes = std::vector<unsigned char>;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// The float kernel "reference".
const detail::deployed_kernel& reference() {
  const auto& table = detail::targets[0].tables[0];
  return table.kernels[table.kernel_count - 1];
}

const detail::spirv_module& spirv() { return *reference().entries[0]; }

sycl::queue& queue() {
  static sycl::queue the_queue;
  return the_queue;
}

detail::build_target here() {
  const detail::owned<cl_device_id> device(
      sycl::get_native<sycl::backend::opencl>(queue().get_device()));
  return detail::build_target_of(device.get());
}

bytes make_binary() {
  const auto target = here();
  const auto device = hornbeam::device_compiler::native_device::find(target.device, target.driver);
  require(device.has_value(), "the queue's device is not found by its name and driver");
  return device->compile({spirv().bytes, spirv().bytes + spirv().size});
}

detail::ready_kernel load(const detail::spirv_module& module) {
  return detail::load_kernel(queue().get_context(), queue().get_device(), module, "test");
}

/// Multiplies matrices with the kernel `reference`, loaded with a native binary beside its SPIR-V.
/// \returns whether the binary was used.
bool multiplies_with_native(const detail::build_target& made_for, const bytes& binary) {
  const detail::native_binary native{made_for.device.c_str(), made_for.driver.c_str(),
                                     made_for.instruction_set.c_str(), binary.data(),
                                     binary.size()};
  const auto kernel = load({spirv().function, spirv().bytes, spirv().size, &native});
  constexpr std::int64_t n = 19;
  auto* const memory = sycl::malloc_shared<float>(3 * n * n, queue());
  float *a = memory, *b = a + n * n, *c = b + n * n;
  for (std::int64_t i = 0; i < n * n; ++i) {
    a[i] = i % n == i / n ? 2.0F : 0.0F;  // twice the identity
    b[i] = static_cast<float>(i);
    c[i] = -1;
  }
  const auto& tile = reference();
  detail::launch<float>(queue(), kernel, tile.geometry, detail::one_step(),
                        {a, b, c, n, n, n, n, n, n, 0, 0, 0, 1, 0}, 1, std::vector<sycl::event>{})
      .wait_and_throw();
  const bool right = std::equal(b, c, c, [](float x, float y) { return y == 2 * x; });
  sycl::free(memory, queue());
  require(right, "wrong product");
  return kernel.from_native;
}

/// A fitting binary with something changed must give way to the SPIR-V.
void falls_back(const std::function<void(detail::build_target&, bytes&)>& change) {
  auto target = here();
  auto binary = make_binary();
  change(target, binary);
  require(!multiplies_with_native(target, binary), "the binary must not be used");
}

cl_uint references_to_context() {
  const detail::owned<cl_context> context(
      sycl::get_native<sycl::backend::opencl>(queue().get_context()));
  cl_uint count = 0;
  clGetContextInfo(context.get(), CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

void loaded_kernel_is_owned_by_sycl_alone() {
  const auto kernel = load(spirv()).kernel;
  const detail::owned<cl_kernel> handle(sycl::get_native<sycl::backend::opencl>(kernel));
  cl_uint count = 0;
  clGetKernelInfo(handle.get(), CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, nullptr);
  require(count == 2,
          "SYCL and this test hold the kernel, and " + std::to_string(count - 2) + " others");
}

void missing_kernel_frees_what_it_made() {
  const auto before = references_to_context();
  try {
    load({"no_such_kernel", spirv().bytes, spirv().size});
  } catch (const hornbeam::device_error& error) {
    require(std::string(error.what()).find("no_such_kernel") != std::string::npos, error.what());
    require(references_to_context() == before, "the context is still referred to");
    return;
  }
  throw std::runtime_error("a kernel that is not in its module must be refused");
}

const std::map<std::string, std::function<void()>> tests = {
    {"fitting_binary_is_used",
     [] { require(multiplies_with_native(here(), make_binary()), "SPIR-V was compiled"); }},
    {"binary_of_another_device",
     [] { falls_back([](auto& target, auto&) { target.device += " II"; }); }},
    {"binary_of_another_driver",
     [] { falls_back([](auto& target, auto&) { target.driver += ".1"; }); }},
    {"binary_of_another_processor",
     [] { falls_back([](auto& target, auto&) { target.instruction_set += " 1"; }); }},
    {"binary_that_is_none", [] { falls_back([](auto&, auto& binary) { binary.assign(99, 7); }); }},
    {"truncated_binary",
     [] { falls_back([](auto&, auto& binary) { binary.resize(binary.size() / 2); }); }},
    {"empty_binary", [] { falls_back([](auto&, auto& binary) { binary.clear(); }); }},
    {"loaded_kernel_is_owned_by_sycl_alone", loaded_kernel_is_owned_by_sycl_alone},
    {"missing_kernel_frees_what_it_made", missing_kernel_frees_what_it_made},
};

const char* way(bool native) { return native ? "native\n" : "spirv\n"; }

void load_embedded() {
  for (std::size_t t = 0; t < detail::targets[0].table_count; ++t) {
    const auto& table = detail::targets[0].tables[t];
    for (std::size_t i = 0; i < table.kernel_count; ++i)
      for (const auto* module : table.kernels[i].entries)
        std::cout << way(load(*module).from_native);
  }
}

void run(const std::vector<std::string>& words) {
  if (words.empty()) {
    for (const auto& [name, body] : tests) std::cout << name << '\n';
  } else if (words[0] == "embedded") {
    load_embedded();
  } else if (words.size() == 1) {
    tests.at(words[0])();
  } else if (words[0] == "make") {
    const auto binary = make_binary();
    std::ofstream(words[1], std::ios::binary)
        .write(reinterpret_cast<const char*>(binary.data()),
               static_cast<std::streamsize>(binary.size()));
  } else {
    std::ifstream file(words[1], std::ios::binary);
    const bytes binary{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::cout << way(multiplies_with_native(here(), binary));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
