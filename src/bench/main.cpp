// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// hornbeam-bench: checks and times kernels as the tuner asks it to, one request per line.
///
/// It never recovers from a hang or a crash of the driver: that is the tuner's part, which runs it
/// as a child process with a timeout.

#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <sycl/device_selector.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/queue.hpp>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "matmul_bench.hpp"

namespace {

using hornbeam::bench::bad_request;
using hornbeam::bench::make_matmul_bench;
using hornbeam::bench::matmul_bench;
using hornbeam::bench::reply;
using hornbeam::bench::request;

constexpr int no_device = 3;

class driver {
 public:
  explicit driver(sycl::queue& queue) : queue_(queue) {}

  reply answer(const std::string& line) {
    try {
      return dispatch(request(line));
    } catch (const bad_request& error) {
      return reply().field("status", "bad_request").field("message", error.what());
    } catch (const std::exception& error) {
      return reply().field("status", "launch_error").field("message", error.what());
    }
  }

 private:
  reply dispatch(const request& given) {
    auto& bench = benches_[given.text("type")];
    if (!bench) bench = make_matmul_bench(given.text("type"), queue_);
    const std::string& command = given.text("command");
    if (command == "verify") return bench->verify(given);
    if (command == "measure") return bench->measure(given);
    throw bad_request("unknown command " + command);
  }

  sycl::queue& queue_;
  std::map<std::string, std::unique_ptr<matmul_bench>> benches_;
};

void say(const reply& words) { std::cout << words.line() << std::endl; }

/// A kernel that hangs must not outlive a tuner that was killed.
void die_with_parent() {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace

int main() {
  die_with_parent();
  try {
    // In order: launches of one batch must follow each other.
    sycl::queue queue{sycl::default_selector_v, sycl::property::queue::in_order()};
    const auto device = queue.get_device();
    say(reply()
            .field("ready", true)
            .field("device", device.get_info<sycl::info::device::name>())
            .field("driver", device.get_info<sycl::info::device::driver_version>()));
    driver answers(queue);
    for (std::string line; std::getline(std::cin, line);) say(answers.answer(line));
    return 0;
  } catch (const std::exception& error) {
    say(reply().field("ready", false).field("message", error.what()));
    return no_device;
  }
}
