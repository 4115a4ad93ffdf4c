// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Kernels that cut k into slices, and the workspace for their sums: the caller's, the library's.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <hornbeam/matmul.hpp>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace {

using hornbeam::matmul_options;
using hornbeam::matmul_shape;

constexpr matmul_shape shape{3, 5, 20011, 2};

template <class T>
class device_array {
 public:
  device_array(const sycl::queue& queue, std::size_t count)
      : queue_(queue), data_(sycl::malloc_shared<T>(count, queue)), count_(count) {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { sycl::free(data_, queue_); }

  T* data() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  sycl::queue queue_;
  T* data_;
  std::size_t count_;
};

/// The deployed kernel that cuts the shape's k into the most slices.
matmul_options<float> sliced(const sycl::queue& queue) {
  matmul_options<float> best;
  std::size_t most = 0;
  for (const auto& id : hornbeam::kernels<float>(queue.get_device())) {
    matmul_options<float> options;
    options.kernel = id;
    const std::size_t bytes = hornbeam::workspace_size(queue, shape, options);
    if (bytes <= most) continue;
    most = bytes;
    best = options;
  }
  require(most > 0, "no deployed kernel cuts k into slices");
  return best;
}

/// Operands of a call of the shape.
struct operands {
  explicit operands(const sycl::queue& queue)
      : a(queue, shape.batch * shape.m * shape.k),
        b(queue, shape.batch * shape.k * shape.n),
        c(queue, count) {
    for (std::int64_t i = 0; i < shape.batch * shape.m * shape.k; ++i)
      a.data()[i] = static_cast<float>(i * 7919 % 1009) / 1009 - 0.5F;
    for (std::int64_t i = 0; i < shape.batch * shape.k * shape.n; ++i)
      b.data()[i] = static_cast<float>(i * 6007 % 1013) / 1013 - 0.5F;
    std::fill(c.data(), c.data() + count, 0.0F);
  }

  sycl::event start(sycl::queue& queue, const matmul_options<float>& options) const {
    return hornbeam::matmul(queue, a.data(), b.data(), c.data(), shape, options);
  }

  std::vector<float> run(sycl::queue& queue, const matmul_options<float>& options) const {
    start(queue, options).wait_and_throw();
    return result();
  }

  std::vector<float> run_on_buffers(sycl::queue& queue,
                                    const matmul_options<float>& options) const {
    std::vector<float> result(count);
    {
      sycl::buffer<float> in_a(a.data(), a.bytes() / sizeof(float));
      sycl::buffer<float> in_b(b.data(), b.bytes() / sizeof(float));
      sycl::buffer<float> out(result.data(), result.size());
      hornbeam::matmul(queue, in_a, in_b, out, shape, options);
    }
    return result;
  }

  std::vector<float> result() const { return {c.data(), c.data() + count}; }

  static constexpr std::size_t count = shape.batch * shape.m * shape.n;
  device_array<float> a, b, c;
};

void sizes() {
  const sycl::queue queue;
  auto options = sliced(queue);
  const std::size_t bytes = hornbeam::workspace_size(queue, shape, options);
  const std::size_t one = operands::count * sizeof(float);
  require(bytes % one == 0 && bytes >= 2 * one, "bytes of at least two slices");
  const auto size = [&](const matmul_shape& of) {
    return hornbeam::workspace_size(queue, of, options);
  };
  require(size({3, 5, 100}) == 0, "a short k is not cut");
  require(size({3, 5, 0}) == 0 && size({0, 5, 20000}) == 0, "nothing to add up");
  require(size({2000, 2000, 20000}) == 0, "many outputs need no slices");
  require(size({std::int64_t{1} << 40, 1, 20000}) == 0, "calls in pieces have no slices");
  require(size({100, 100, 1000000}) <= std::size_t{4} << 20, "more than promised");
  options.alpha = 0;
  require(size(shape) == 0, "nothing to multiply");
  require_throws<hornbeam::invalid_argument>("workspace_size: m is -1", [&] { size({-1, 1, 1}); });
}

void same_bits_on_any_workspace() {
  sycl::queue queue;
  auto options = sliced(queue);
  const operands given(queue);
  const auto wanted = given.run(queue, options);
  require(std::any_of(wanted.begin(), wanted.end(), [](float x) { return x != 0; }), "no result");
  for (int i = 0; i < 10; ++i) require(given.run(queue, options) == wanted, "another run");
  require(given.run_on_buffers(queue, options) == wanted, "buffers");

  const std::size_t bytes = hornbeam::workspace_size(queue, shape, options);
  const device_array<unsigned char> memory(queue, bytes + 1);
  std::fill(memory.data(), memory.data() + bytes + 1, 0xFF);  // as floats, not numbers
  options.workspace = {memory.data(), bytes};
  require(given.run(queue, options) == wanted, "the caller's workspace");
  require(memory.data()[bytes] == 0xFF, "written behind the workspace");
  require(memory.data()[0] != 0xFF || memory.data()[1] != 0xFF, "the workspace was not used");
  require(given.run_on_buffers(queue, options) == wanted, "the caller's workspace, buffers");
}

void small_workspace_is_refused() {
  sycl::queue queue;
  auto options = sliced(queue);
  const operands given(queue);
  const std::size_t bytes = hornbeam::workspace_size(queue, shape, options);
  const device_array<unsigned char> memory(queue, bytes);
  options.workspace = {memory.data(), bytes - 1};
  const std::string text = "workspace has " + std::to_string(bytes - 1) +
                           " bytes, must have at least " + std::to_string(bytes);
  require_throws<hornbeam::invalid_argument>(text, [&] { given.run(queue, options); });
  require_throws<hornbeam::invalid_argument>(text, [&] { given.run_on_buffers(queue, options); });
  options.alpha = 0;  // nothing to add up: it is not looked at
  given.run(queue, options);
}

void foreign_workspace_is_refused() {
  sycl::queue queue;
  auto options = sliced(queue);
  const operands given(queue);
  std::vector<float> host(hornbeam::workspace_size(queue, shape, options));
  for (void* memory : {static_cast<void*>(host.data()), static_cast<void*>(nullptr)}) {
    options.workspace = {memory, host.size() * sizeof(float)};
    require_throws<hornbeam::invalid_argument>("workspace is not a USM pointer",
                                               [&] { given.run(queue, options); });
  }
}

/// More calls under way than the library keeps workspaces for.
void many_calls_at_once() {
  sycl::queue queue;
  const auto options = sliced(queue);
  std::vector<std::unique_ptr<operands>> all;
  for (int i = 0; i < 30; ++i) all.push_back(std::make_unique<operands>(queue));
  const auto wanted = all.front()->run(queue, options);
  std::vector<sycl::event> events;
  for (const auto& one : all) events.push_back(one->start(queue, options));
  for (auto& event : events) event.wait_and_throw();
  for (const auto& one : all) require(one->result() == wanted, "calls disturb each other");
}

void threads() {
  sycl::queue shared;
  const auto options = sliced(shared);
  const auto wanted = operands(shared).run(shared, options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < 12; ++t)
    all.emplace_back([&, t] {
      sycl::queue queue =
          t % 2 == 0 ? shared : sycl::queue(shared.get_context(), shared.get_device());
      const operands given(queue);
      for (int i = 0; i < 10; ++i)
        if (given.run(queue, options) != wanted) ++wrong;
    });
  for (auto& thread : all) thread.join();
  require(wrong == 0, "threads disturb each other");
}

/// The second of two calls reads what the first writes.
void dependencies() {
  sycl::queue queue;
  const auto options = sliced(queue);
  const operands given(queue);
  const device_array<float> next(queue, operands::count);
  const auto product = given.run(queue, options);
  std::fill(given.c.data(), given.c.data() + operands::count, 0.0F);
  for (int i = 0; i < 20; ++i) {
    const auto first = given.start(queue, options);
    matmul_options<float> copy;
    copy.kernel = "reference";
    const device_array<float> one(queue, 1);
    *one.data() = 1;
    hornbeam::matmul(queue, given.c.data(), one.data(), next.data(),
                     {static_cast<std::int64_t>(operands::count), 1, 1}, copy, {first})
        .wait_and_throw();
    require(std::equal(product.begin(), product.end(), next.data()), "read before it was written");
  }
}

void explained() {
  const sycl::device device = sycl::queue().get_device();
  auto options = sliced(sycl::queue());
  require(!hornbeam::explain(device, shape, options).bit_stable, "slices change bits");
  options.kernel = "reference";
  require(hornbeam::explain(device, shape, options).bit_stable, "the reference is bit-stable");
}

}  // namespace

int main(int argc, char** argv) {
  return run_tests({{"dependencies", dependencies},
                    {"explained", explained},
                    {"foreign_workspace_is_refused", foreign_workspace_is_refused},
                    {"many_calls_at_once", many_calls_at_once},
                    {"same_bits_on_any_workspace", same_bits_on_any_workspace},
                    {"sizes", sizes},
                    {"small_workspace_is_refused", small_workspace_is_refused},
                    {"threads", threads}},
                   argc, argv);
}
