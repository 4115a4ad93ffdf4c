// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Times the first calls of a fresh process: prints three numbers of seconds, for prepare() of all
/// float kernels (0 where it is not called), the first call and the second call, each with its
/// wait. Usage: first_call [prepare]

#include <chrono>
#include <hornbeam/matmul.hpp>
#include <iostream>
#include <string>
#include <sycl/usm.hpp>

namespace {

template <class Body>
double seconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::int64_t n = 64;
  sycl::queue queue;
  auto* const memory = sycl::malloc_shared<float>(3 * n * n, queue);
  for (std::int64_t i = 0; i < 3 * n * n; ++i) memory[i] = 1;
  const auto call = [&] {
    hornbeam::matmul(queue, memory, memory + n * n, memory + 2 * n * n, {n, n, n}).wait_and_throw();
  };
  const bool prepare = argc > 1 && std::string(argv[1]) == "prepare";
  const double preparing = prepare ? seconds([&] { hornbeam::prepare<float>(queue); }) : 0.0;
  const double first = seconds(call);
  const double second = seconds(call);
  std::cout << preparing << ' ' << first << ' ' << second << '\n';
  const bool right = memory[2 * n * n] == static_cast<float>(n);
  sycl::free(memory, queue);
  return right ? 0 : 1;
}
