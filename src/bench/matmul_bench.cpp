// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "matmul_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <sycl/half_type.hpp>

#include "../launch.hpp"
#include "operands.hpp"
#include "timing.hpp"

namespace hornbeam::bench {
namespace {

using detail::launch_geometry;
using kernel::matmul_arguments;
using std::int64_t;

struct problem {
  int64_t m, k, n, batch;
  bool transpose_a, transpose_b;
};

/// Sizes around tiles and work-groups: ones, primes, one above and below powers of two, batches.
const problem edge_sizes[] = {{1, 1, 1, 1, false, false},     {1, 5, 19, 1, false, false},
                              {23, 3, 1, 1, false, false},    {3, 7, 5, 3, false, false},
                              {8, 16, 16, 1, false, false},   {17, 9, 33, 1, false, false},
                              {31, 64, 15, 2, false, false},  {64, 33, 64, 1, false, false},
                              {65, 17, 127, 1, false, false}, {129, 31, 257, 1, false, false},
                              {2, 100, 130, 1, false, false}, {256, 40, 256, 1, false, false},
                              {27, 601, 65, 1, false, false}};

/// For kernels that cut k, which take shorter ones in one piece.
const problem long_sizes[] = {{1, 4099, 1, 1, false, false},
                              {1, 9001, 7, 2, false, false},
                              {6, 5003, 1, 1, false, false},
                              {9, 4096, 8, 1, false, false},
                              {5, 8191, 19, 2, false, false}};

/// How the reference kernel is launched.
constexpr launch_geometry oracle_tile{1, 1, 1, 64};

launch_geometry geometry(const request& given) {
  const auto x = given.integers("launch", 8);
  return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

template <class T>
matmul_arguments<T> packed(const problem& x, const T* a, const T* b, T* c, int64_t ldc, T alpha,
                           T beta) {
  return {a,
          b,
          c,
          x.m,
          x.n,
          x.k,
          x.transpose_a ? x.m : x.k,
          x.transpose_b ? x.k : x.n,
          ldc,
          x.m * x.k,
          x.k * x.n,
          x.m * ldc,
          alpha,
          beta};
}

template <class T>
class typed_bench : public matmul_bench {
 public:
  explicit typed_bench(sycl::queue& queue)
      : queue_(queue), in_(queue), out_(queue), workspace_(queue) {}

  reply verify(const request& given) override {
    const auto& transposes = given.text("transposes");
    const auto tile = geometry(given);
    const auto& kernel = load(given.text("function"), given.text("module"), tile);
    const auto& oracle = load("hornbeam_reference_" + given.text("type") + "_" + transposes,
                              given.text("reference"), oracle_tile);
    const bool same_bits = given.number("bit_stable") != 0;
    std::vector<problem> sizes(std::begin(edge_sizes), std::end(edge_sizes));
    if (tile.slices > 0) sizes.insert(sizes.end(), std::begin(long_sizes), std::end(long_sizes));
    double worst = 0;
    for (problem x : sizes) {
      x.transpose_a = transposes[0] == 't';
      x.transpose_b = transposes[1] == 't';
      for (const T beta : {T(0), T(-0.5)}) {
        const double error = compare(kernel, tile, oracle, x, beta);
        if (!(error <= (same_bits ? 0 : tolerance(x.k))))
          return reply()
              .field("status", "wrong_result")
              .field("message", description(x, beta, error));
        worst = std::max(worst, error);
      }
    }
    return reply().field("status", "ok").field("max_error", worst);
  }

  reply measure(const request& given) override {
    const auto p = given.integers("problem", 6);
    const problem x{p[0], p[1], p[2], p[3], p[4] != 0, p[5] != 0};
    const auto tile = geometry(given);
    const auto& kernel = load(given.text("function"), given.text("module"), tile);
    const double rotate_bytes = given.number("rotate_bytes");

    const int64_t in_count = padded(x.batch * (x.m * x.k + x.k * x.n));
    const int64_t out_count = padded(x.batch * x.m * x.n);
    const double footprint = static_cast<double>(in_count + out_count) * sizeof(T);
    const auto sets = static_cast<int64_t>(std::max(1.0, std::ceil(rotate_bytes / footprint)));
    const T* in = in_.at_least(in_count * sets);
    T* out = out_.at_least(out_count * sets);

    const auto launch = [&] {
      next_ = (next_ + 1) % sets;
      const T* a = in + next_ * in_count;
      start(kernel, tile,
            packed(x, a, a + x.batch * x.m * x.k, out + next_ * out_count, x.n, T(1), T(0)),
            x.batch);
    };
    double load_average = 0;
    if (getloadavg(&load_average, 1) != 1) load_average = std::numeric_limits<double>::quiet_NaN();
    const timing_plan plan{given.number("min_batch_s"), static_cast<int>(given.number("samples")),
                           given.number("slow_s")};
    const timing result = time_launches(plan, launch, [&] { queue_.wait_and_throw(); });
    return reply()
        .field("status", "ok")
        .field("times_s", result.times_s)
        .field("launches", result.launches)
        .field("single_launch", result.single_launch)
        .field("rotated", footprint * static_cast<double>(sets) >= rotate_bytes)
        .field("load", load_average);
  }

 private:
  /// Submits what a call does, on a workspace of the bench's own: the queue is in order.
  void start(const detail::ready_kernel& kernel, launch_geometry tile, const matmul_arguments<T>& x,
             int64_t batch) {
    tile = detail::for_call(tile, x, batch);
    const int64_t bytes = detail::workspace_bytes(tile, x, batch);
    if (bytes == 0) {
      detail::launch(queue_, kernel, tile, detail::one_step(), x, batch);
      return;
    }
    for (const int64_t step : {0, 1})
      detail::launch(queue_, kernel, tile, {workspace_.at_least(bytes), tile.slices, step}, x,
                     batch);
  }

  /// A whole number of cache lines.
  static int64_t padded(int64_t count) {
    constexpr int64_t line = 64 / sizeof(T);
    return (count + line - 1) / line * line;
  }

  /// For kernels that add in another order than the reference kernel: what results, of k + 2 at
  /// most, lose when they are rounded to T, and sums in the accumulator no more than that.
  static double tolerance(int64_t k) {
    return 2 * std::numeric_limits<T>::epsilon() * static_cast<double>(k + 2);
  }

  static std::string description(const problem& x, T beta, double error) {
    return "m=" + std::to_string(x.m) + " k=" + std::to_string(x.k) + " n=" + std::to_string(x.n) +
           " batch=" + std::to_string(x.batch) + " beta=" + std::to_string(beta) +
           ": error against the reference kernel is " + std::to_string(error);
  }

  /// The module's kernel, launched once: the first launch of a kernel may be slower than the next.
  const detail::ready_kernel& load(const std::string& function, const std::string& path,
                                   const launch_geometry& tile) {
    auto& entry = kernels_[function + '\n' + path];
    if (!entry) {
      std::ifstream file(path, std::ios::binary);
      if (!file) throw bad_request("cannot read module " + path);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      const detail::spirv_module module{
          function.c_str(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
      auto loaded = std::make_unique<detail::ready_kernel>(
          detail::load_kernel(queue_.get_context(), queue_.get_device(), module, "bench"));
      const problem one{1, 1, 1, 1, false, false};
      start(*loaded, tile,
            packed<T>(one, in_.at_least(2), in_.at_least(2), out_.at_least(1), 1, T(1), T(0)), 1);
      queue_.wait_and_throw();
      entry = std::move(loaded);
    }
    return *entry;
  }

  /// Largest difference between the two kernels over all of C; infinite if a kernel writes outside
  /// it.
  double compare(const detail::ready_kernel& kernel, const launch_geometry& tile,
                 const detail::ready_kernel& oracle, const problem& x, T beta) {
    constexpr int64_t gap = 3;  // unused columns, and unused elements in front of and behind C
    const int64_t ldc = x.n + gap;
    const int64_t count = x.batch * x.m * ldc + 2 * gap;
    const int64_t a_count = x.batch * x.m * x.k;
    const T* a = in_.at_least(a_count + x.batch * x.k * x.n);
    T* got = out_.at_least(2 * count);
    T* wanted = got + count;
    // With beta = 0 the old contents must not matter: make them poison.
    for (int64_t i = 0; i < count; ++i)
      got[i] = wanted[i] = beta == T(0) ? std::numeric_limits<T>::quiet_NaN() : T(i % 7) - T(3);
    std::vector<T> before(got, got + count);
    start(kernel, tile, packed(x, a, a + a_count, got + gap, ldc, T(1.5), beta), x.batch);
    start(oracle, oracle_tile, packed(x, a, a + a_count, wanted + gap, ldc, T(1.5), beta), x.batch);
    queue_.wait_and_throw();
    double worst = 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t inside = i - gap;
      const bool owned = inside >= 0 && inside < x.batch * x.m * ldc && inside % ldc < x.n;
      if (owned) {
        const double difference =
            std::abs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : std::max(worst, difference);
      } else if (std::memcmp(&got[i], &before[static_cast<std::size_t>(i)], sizeof(T)) != 0) {
        return std::numeric_limits<double>::infinity();
      }
    }
    return worst;
  }

  sycl::queue& queue_;
  device_memory<T> in_, out_;
  device_memory<char> workspace_;
  int64_t next_ = 0;
  std::map<std::string, std::unique_ptr<detail::ready_kernel>> kernels_;
};

}  // namespace

std::unique_ptr<matmul_bench> make_matmul_bench(const std::string& data_type, sycl::queue& queue) {
  if (data_type == "float") return std::make_unique<typed_bench<float>>(queue);
  if (data_type == "double") return std::make_unique<typed_bench<double>>(queue);
  if (data_type == "half") return std::make_unique<typed_bench<sycl::half>>(queue);
  throw bad_request("no benchmark for type " + data_type);
}

}  // namespace hornbeam::bench
