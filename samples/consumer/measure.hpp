// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <hornbeam/matmul.hpp>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

/// Shared memory, usable on host and device, filled with random numbers.
class random_array {
 public:
  random_array(const sycl::queue& queue, std::int64_t size, std::uint32_t seed)
      : data_(sycl::malloc_shared<float>(static_cast<std::size_t>(size), queue),
              [queue](float* data) { sycl::free(data, queue); }) {
    if (data_ == nullptr) {
      throw std::bad_alloc();
    }
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> distribution(-1.0F, 1.0F);
    std::generate_n(get(), size, [&] { return distribution(random); });
  }

  float* get() const { return data_.get(); }

 private:
  std::unique_ptr<float, std::function<void(float*)>> data_;
};

/// A multiplication C = A B that is ready to run.
class multiplication {
 public:
  multiplication(sycl::queue queue, const hornbeam::matmul_shape& shape)
      : queue_(std::move(queue)),
        shape_(shape),
        a_(queue_, shape.batch * shape.m * shape.k, 1),
        b_(queue_, shape.batch * shape.k * shape.n, 2),
        c_(queue_, shape.batch * shape.m * shape.n, 3) {}

  /// Seconds of one run, the mean of several that follow each other; without a kernel's id the
  /// library chooses.
  double run(const std::optional<std::string>& kernel, int runs = 1) {
    hornbeam::matmul_options<float> options;
    options.kernel = kernel;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) {
      hornbeam::matmul(queue_, a_.get(), b_.get(), c_.get(), shape_, options);
    }
    queue_.wait_and_throw();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / runs;
  }

  /// Largest error of C against float64, relative to the sum of |a||b| behind each element; of a
  /// large C only evenly spread elements are looked at.
  double error() const {
    const std::int64_t size = shape_.batch * shape_.m * shape_.n;
    const std::int64_t checked = std::max<std::int64_t>(20'000'000 / shape_.k, 64);
    std::int64_t stride = size / checked + 1;
    while (std::gcd(stride, shape_.n) != 1) {  // so that it meets every column
      ++stride;
    }
    double worst = 0;
    for (std::int64_t element = 0; element < size; element += stride) {
      const double error = element_error(element);
      if (std::isnan(error)) {
        return error;
      }
      worst = std::max(worst, error);
    }
    return worst;
  }

 private:
  double element_error(std::int64_t element) const {
    const auto [m, n, k, batch] = shape_;
    const std::int64_t row = element / n;  // counted through the whole batch, as are A's
    const float* a = a_.get() + row * k;
    const float* b = b_.get() + row / m * k * n + element % n;
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      const double product = static_cast<double>(a[p]) * static_cast<double>(b[p * n]);
      sum += product;
      magnitude += std::abs(product);
    }
    return std::abs(c_.get()[element] - sum) / magnitude;
  }

  sycl::queue queue_;
  hornbeam::matmul_shape shape_;
  random_array a_, b_, c_;
};

/// Median seconds of one run with each kernel. Kernels take turns, so that a change of the
/// machine's pace meets them all; one that is far slower than the fastest runs once.
inline std::vector<double> interleaved_times(
    multiplication& multiplication, const std::vector<std::optional<std::string>>& kernels) {
  constexpr double batch_s = 1e-3;  // least time between two looks at the clock
  constexpr double total_s = 0.4;   // no new round starts after this long
  constexpr double slow_s = 5e-3;   // a run this short is repeated in any case
  constexpr double far_slower = 4;

  std::vector<std::vector<double>> times;
  times.reserve(kernels.size());
  for (const auto& kernel : kernels) {
    times.push_back({multiplication.run(kernel)});
  }
  const double fastest = std::min_element(times.begin(), times.end())->front();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(total_s);
  for (int round = 0; round < 15 && std::chrono::steady_clock::now() < end; ++round) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const double first = times[i].front();
      if (first < slow_s || first < far_slower * fastest) {
        times[i].push_back(multiplication.run(kernels[i], static_cast<int>(batch_s / first) + 1));
      }
    }
  }

  std::vector<double> medians;
  medians.reserve(kernels.size());
  for (auto& samples : times) {
    const auto begin = samples.begin() + (samples.size() > 1 ? 1 : 0);  // the first warms up
    const auto middle = begin + (samples.end() - begin) / 2;
    std::nth_element(begin, middle, samples.end());
    medians.push_back(*middle);
  }
  return medians;
}
