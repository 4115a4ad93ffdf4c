// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Multiplies matrices of the sizes that neural networks need, and compares the kernel that hornbeam
// chooses for each size with each deployed kernel used for all of them.
//
//   consumer [--all] FILE.csv...
//
// Without --all it takes 40 sizes, spread evenly by work, that the reference kernel does in
// seconds.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <hornbeam/matmul.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "measure.hpp"
#include "problems.hpp"

namespace {

struct result {
  problem size;
  hornbeam::explanation why;
  double error;
  double chosen_s;
  std::vector<double> kernel_s;  // in the order of hornbeam::kernels()
};

result measure(const sycl::queue& queue, const problem& size,
               const std::vector<std::string>& kernels) {
  multiplication multiplication(queue, size.shape);
  multiplication.run(std::nullopt);
  const double error = multiplication.error();
  std::vector<std::optional<std::string>> turns = {std::nullopt};
  turns.insert(turns.end(), kernels.begin(), kernels.end());
  const auto times = interleaved_times(multiplication, turns);
  return {size,
          hornbeam::explain<float>(queue.get_device(), size.shape),
          error,
          times.front(),
          {times.begin() + 1, times.end()}};
}

/// Geometric mean over all sizes of how much faster the library's choice is than one kernel.
double speedup(const std::vector<result>& results, std::size_t kernel) {
  double sum = 0;
  for (const result& result : results) {
    sum += std::log(result.kernel_s[kernel] / result.chosen_s);
  }
  return std::exp(sum / static_cast<double>(results.size()));
}

/// Seconds that one multiplication of each size takes together.
template <class Time>
double total_s(const std::vector<result>& results, Time time_of) {
  return std::accumulate(results.begin(), results.end(), 0.0,
                         [&](double sum, const result& one) { return sum + time_of(one); });
}

/// Rounding errors of k additions come to at most about k times the unit roundoff.
bool is_right(const result& result) {
  constexpr double unit_roundoff = std::numeric_limits<float>::epsilon() / 2;
  return result.error <= static_cast<double>(result.size.shape.k + 1) * unit_roundoff;
}

void print(const result& result, std::size_t single, std::size_t reference) {
  const auto gflops = [&](double seconds) { return result.size.flops() / seconds / 1e9; };
  const auto [m, n, k, batch] = result.size.shape;
  std::printf("%-10s %5d x %6d x %6d %5d %9.1f %9.1f %9.1f  %7.0e  %-32s %2.0f %%  %s\n",
              result.size.network.c_str(), static_cast<int>(m), static_cast<int>(k),
              static_cast<int>(n), static_cast<int>(batch), gflops(result.chosen_s),
              gflops(result.kernel_s[single]), gflops(result.kernel_s[reference]), result.error,
              result.why.kernel.c_str(), 100 * result.why.expected_share, result.why.path.c_str());
}

int report(const std::vector<result>& results, const std::vector<std::string>& kernels) {
  std::size_t single = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    single = speedup(results, i) < speedup(results, single) ? i : single;
  }
  const std::size_t reference = kernels.size() - 1;  // always the last
  std::printf("%-10s %23s %5s %9s %9s %9s  %7s  %-32s %s\n", "", "", "", "GFLOP/s", "best", "", "",
              "", "share");
  std::printf("%-10s %23s %5s %9s %9s %9s  %7s  %-32s %s  %s\n", "network", "m x k x n", "batch",
              "chosen", "single", "reference", "error", "kernel chosen", "exp.", "because");
  bool right = true;
  for (const result& result : results) {
    print(result, single, reference);
    right = right && is_right(result);
  }
  std::printf(
      "\n%zu sizes, %zu kernels and the reference deployed, chosen by the measurements of %s "
      "(match: %s)\n",
      results.size(), reference, results.front().why.dataset_key.c_str(),
      results.front().why.match.c_str());
  std::printf(
      "each size once: %.3f s with the chosen kernels, %.3f s with the best single kernel, "
      "%.3f s with the reference kernel\n",
      total_s(results, [](const result& one) { return one.chosen_s; }),
      total_s(results, [&](const result& one) { return one.kernel_s[single]; }),
      total_s(results, [&](const result& one) { return one.kernel_s[reference]; }));
  std::printf(
      "speed of the chosen kernels, geometric mean:\n  %6.2f x the best single kernel, %s\n"
      "  %6.2f x the reference kernel\n",
      speedup(results, single), kernels[single].c_str(), speedup(results, reference));
  std::printf("errors against float64: %s\n", right ? "all within rounding" : "TOO LARGE");
  return right ? 0 : 1;
}

int compare(const std::vector<problem>& problems) {
  sycl::queue queue{sycl::property::queue::in_order{}};
  const sycl::device device = queue.get_device();
  std::printf("%s\n\n", device.get_info<sycl::info::device::name>().c_str());
  hornbeam::prepare<float>(queue);  // else the first call of each kernel would compile it
  const std::vector<std::string> kernels = hornbeam::kernels<float>(device);
  std::vector<result> results;
  results.reserve(problems.size());
  for (const problem& problem : problems) {
    if (isatty(STDERR_FILENO) != 0) {
      std::fprintf(stderr, "\r%zu of %zu sizes\r", results.size() + 1, problems.size());
    }
    results.push_back(measure(queue, problem, kernels));
  }
  return report(results, kernels);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> files(argv + 1, argv + argc);
    const bool all = !files.empty() && files.front() == "--all";
    files.erase(files.begin(), files.begin() + (all ? 1 : 0));
    if (files.empty()) {
      std::fprintf(stderr, "usage: consumer [--all] FILE.csv...\n");
      return 2;
    }
    const std::vector<problem> problems = read_problems(files);
    return compare(all ? problems : spread(problems, 40, 2e9));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
  }
}
