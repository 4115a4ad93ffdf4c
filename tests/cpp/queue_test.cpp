// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Events, queues, contexts and threads.

#include <cmath>
#include <functional>
#include <hornbeam/matmul.hpp>
#include <string>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace {

constexpr std::int64_t n = 33;

/// A shared matrix of n x n values.
class matrix {
 public:
  matrix(sycl::queue& queue, float value)
      : queue_(queue), data_(sycl::malloc_shared<float>(n * n, queue)) {
    std::fill(data_, data_ + n * n, value);
  }
  matrix(const matrix&) = delete;
  matrix& operator=(const matrix&) = delete;
  ~matrix() { sycl::free(data_, queue_); }

  float* data() { return data_; }
  bool all(float value) const {
    for (std::int64_t i = 0; i < n * n; ++i)
      if (data_[i] != value) return false;
    return true;
  }

 private:
  sycl::queue queue_;
  float* data_;
};

sycl::event multiply(sycl::queue& queue, matrix& a, matrix& b, matrix& c,
                     const std::vector<sycl::event>& after = {}) {
  return hornbeam::matmul(queue, a.data(), b.data(), c.data(), {n, n, n}, {}, after);
}

/// x -> x * b 100 times, with b = 2/n everywhere: every element doubles.
void chain(sycl::queue queue, bool in_order) {
  matrix even(queue, 1), odd(queue, 0), b(queue, 2.0F / n);
  sycl::event last;
  for (int i = 0; i < 100; ++i) {
    const std::vector<sycl::event> after =
        in_order ? std::vector<sycl::event>{} : std::vector{last};
    last = i % 2 == 0 ? multiply(queue, even, b, odd, after) : multiply(queue, odd, b, even, after);
  }
  last.wait_and_throw();
  const float got = even.data()[0], wanted = std::ldexp(1.0F, 100);
  require(std::abs(got / wanted - 1) < 1e-3F, "the chain was not run in order");
  require(even.all(got), "elements differ");
}

void empty_call_respects_dependencies() {
  sycl::queue queue;
  matrix a(queue, 1), b(queue, 1), c(queue, 0);
  const auto first = multiply(queue, a, b, c);
  const auto second = multiply(queue, a, b, c, {first});
  hornbeam::matmul<float>(queue, nullptr, nullptr, nullptr, {0, n, n}, {}, {first, second}).wait();
  require(second.get_info<sycl::info::event::command_execution_status>() ==
              sycl::info::event_command_status::complete,
          "an empty call must not complete before its dependencies");
  require(c.all(n), "wrong product");
  hornbeam::matmul<float>(queue, nullptr, nullptr, nullptr, {n, 0, n}).wait();
}

void several_contexts() {
  std::vector<sycl::queue> queues;
  for (int i = 0; i < 3; ++i) {
    const sycl::device device{sycl::default_selector_v};
    queues.emplace_back(sycl::context{device}, device);
  }
  for (int round = 0; round < 2; ++round)
    for (auto& queue : queues) {
      matrix a(queue, 1), b(queue, 2), c(queue, 0);
      multiply(queue, a, b, c).wait_and_throw();
      require(c.all(2 * n), "wrong product");
    }
}

void threads_on(const std::function<sycl::queue()>& queue_for_thread) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(8);
  for (auto& error : errors)
    threads.emplace_back([&error, queue = queue_for_thread()]() mutable {
      try {
        matrix a(queue, 1), b(queue, 3), c(queue, 0);
        for (int i = 0; i < 50; ++i) multiply(queue, a, b, c).wait_and_throw();
        require(c.all(3 * n), "wrong product");
      } catch (const std::exception& e) {
        error = e.what();
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) require(error.empty(), error);
}

void foreign_pointer_is_refused() {
  const sycl::device device{sycl::default_selector_v};
  sycl::queue mine{sycl::context{device}, device}, other{sycl::context{device}, device};
  matrix a(mine, 1), b(mine, 1), c(other, 0);
  require_throws<hornbeam::invalid_argument>("c is not a USM pointer",
                                             [&] { multiply(mine, a, b, c); });
}

#if defined(__ADAPTIVECPP__)
void errors_of_dependencies_reach_the_handler() {
  throw std::runtime_error("AdaptiveCpp has no host_task");
}
#else
void errors_of_dependencies_reach_the_handler() {
  std::string caught;
  sycl::queue queue{[&](const sycl::exception_list& errors) {
    for (const auto& error : errors) try {
        std::rethrow_exception(error);
      } catch (const std::exception& e) {
        caught += e.what();
      }
  }};
  matrix a(queue, 1), b(queue, 1), c(queue, 0);
  const auto failing = queue.submit([](sycl::handler& handler) {
    handler.host_task([] { throw std::runtime_error("a dependency failed"); });
  });
  multiply(queue, a, b, c, {failing}).wait();
  queue.wait_and_throw();
  require(caught == "a dependency failed", "the handler got '" + caught + "'");
}
#endif

const named_tests tests = {
    {"chain_out_of_order", [] { chain(sycl::queue{}, false); }},
    {"chain_in_order", [] { chain(sycl::queue{sycl::property::queue::in_order()}, true); }},
    {"empty_call_respects_dependencies", empty_call_respects_dependencies},
    {"errors_of_dependencies_reach_the_handler", errors_of_dependencies_reach_the_handler},
    {"several_contexts", several_contexts},
    {"threads_on_one_queue",
     [] {
       sycl::queue queue;
       threads_on([queue] { return queue; });
     }},
    {"threads_on_own_queues", [] { threads_on([] { return sycl::queue{}; }); }},
    {"threads_on_own_contexts",
     [] {
       threads_on([] {
         const sycl::device device{sycl::default_selector_v};
         return sycl::queue{sycl::context{device}, device};
       });
     }},
    {"prepare",
     [] {
       sycl::queue queue;
       hornbeam::prepare<float>(queue);
       matrix a(queue, 1), b(queue, 1), c(queue, 0);
       multiply(queue, a, b, c).wait_and_throw();
       require(c.all(n), "wrong product");
     }},
    {"foreign_pointer_is_refused", foreign_pointer_is_refused},
};

}  // namespace

int main(int argc, char** argv) { return run_tests(tests, argc, argv); }
