// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the processor can do at most: multiply-adds in registers and bytes from memory, on all
/// cores.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <bench/request.hpp>
#include <chrono>
#include <iostream>
#include <json.hpp>
#include <memory>
#include <vector>

namespace {

namespace json = hornbeam::json;
using hornbeam::bench::request;

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, accumulators = 24;
#elif defined(__AVX__)
constexpr int vector_bytes = 32, accumulators = 12;
#else
constexpr int vector_bytes = 16, accumulators = 12;
#endif
using vector [[gnu::vector_size(vector_bytes)]] = float;
constexpr int lanes = vector_bytes / sizeof(float);

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Floating-point operations per second: chains of multiply-adds, enough to hide their latency.
double fma_rate() {
  constexpr long steps = 4'000'000;
  volatile float sink = 0;
  const auto start = std::chrono::steady_clock::now();
#pragma omp parallel
  {
    const float factor = 1 - 1e-6F * static_cast<float>(omp_get_thread_num() + 1);
    const vector x = vector{} + factor, y = vector{} + 1e-6F;
    vector sums[accumulators];
    for (int i = 0; i < accumulators; ++i) sums[i] = vector{} + static_cast<float>(i);
    for (long step = 0; step < steps; ++step) {
#pragma GCC unroll 24
      for (int i = 0; i < accumulators; ++i) sums[i] = sums[i] * x + y;
    }
    vector total = sums[0];
    for (int i = 1; i < accumulators; ++i) total += sums[i];
    sink = total[0];
  }
  return 2.0 * lanes * accumulators * steps * omp_get_max_threads() / seconds_since(start);
}

/// Three arrays far beyond the caches, touched first by the threads that use them.
class streams {
 public:
  explicit streams(std::size_t total_bytes)
      : count_(total_bytes / 3 / sizeof(float)),
        a_(new float[count_]),
        b_(new float[count_]),
        c_(new float[count_]) {
#pragma omp parallel for
    for (std::size_t i = 0; i < count_; ++i) {
      a_[i] = 0;
      b_[i] = 1;
      c_[i] = 2;
    }
  }

  /// Bytes per second of a = b + s * c, counted as STREAM does: two reads and one write.
  double triad() {
    float* const a = a_.get();
    const float *b = b_.get(), *c = c_.get();
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for
    for (std::size_t i = 0; i < count_; ++i) a[i] = b[i] + 3 * c[i];
    return 3.0 * bytes() / seconds_since(start);
  }

  /// Bytes per second of reading two arrays.
  double read() {
    const float *b = b_.get(), *c = c_.get();
    float sum = 0;
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for simd reduction(+ : sum)
    for (std::size_t i = 0; i < count_; ++i) sum += b[i] * c[i];
    const double rate = 2.0 * bytes() / seconds_since(start);
    sink_ = sum;
    return rate;
  }

 private:
  double bytes() const { return static_cast<double>(count_ * sizeof(float)); }

  std::size_t count_;
  std::unique_ptr<float[]> a_, b_, c_;
  volatile float sink_ = 0;
};

json::object answer(streams& memory, const std::string& line) {
  const request given(line);
  if (given.text("command") != "limits")
    return json::object().field("status", "error").field("message", "unknown command");
  std::vector<double> fma, triad, read;
  for (int i = 0; i < static_cast<int>(given.number("samples")); ++i) {
    fma.push_back(fma_rate());
    triad.push_back(memory.triad());
    read.push_back(memory.read());
  }
  return json::object()
      .field("status", "ok")
      .field("fma_flop_s", fma)
      .field("triad_bytes_s", triad)
      .field("read_bytes_s", read);
}

}  // namespace

/// \param arguments the bytes of the three arrays together
int main(int count, char** arguments) {
  streams memory(count > 1 ? std::stoull(arguments[1]) : std::size_t{256} << 20);
  std::cout << json::object()
                   .field("ready", true)
                   .field("device", "host")
                   .field("driver", "")
                   .field("pid", static_cast<double>(getpid()))
                   .field("threads", static_cast<double>(omp_get_max_threads()))
                   .field("vector_bits", 8.0 * vector_bytes)
                   .line()
            << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(memory, line).line() << std::endl;
}
