// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which target serves a device, with made-up targets and a made-up answer of the device. Usage:
/// hornbeam_target_test answers|refuses

#include "target.hpp"

#include <atomic>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device_description.hpp"

namespace {

bool refuses = false;
std::atomic<int> asked{0};
int failures = 0;

void require(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::cerr << what << '\n';
}

}  // namespace

namespace hornbeam::detail {

const target targets[] = {
    {"acme-cpu-avx2-2cu", "acme-cpu-avx2-2cu", "exact", nullptr, 0},
    {"amd-cpu-sse42-8cu", "amd-cpu-sse42-4cu", "family", nullptr, 0},
};
const std::size_t target_count = 2;

device_properties describe(const sycl::device& /*device*/) {
  ++asked;
  if (refuses) throw std::runtime_error("the driver is odd");
  return {"AMD EPYC", "Intel(R) Corporation", "cpu", "x86_64", {{4, 4}}, 4};
}

}  // namespace hornbeam::detail

int main(int count, char** arguments) {
  using namespace hornbeam::detail;
  refuses = count > 1 && std::string(arguments[1]) == "refuses";
  const sycl::device device;
  std::vector<const served_device*> found(16);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (auto& one : found) threads.emplace_back([&] { one = &served(device); });
  for (auto& thread : threads) thread.join();
  for (const auto* one : found) require(one == found[0], "threads differ about a device");
  require(asked == 1, "a device is asked " + std::to_string(asked) + " times");

  const served_device& served_by = *found[0];
  const auto is = [&](const char* key, const target* chosen, const char* match) {
    return served_by.key == key && served_by.chosen == chosen &&
           std::string(served_by.match) == match;
  };
  if (refuses)
    require(is("unknown", &targets[0], "default"), "not the first target: " + served_by.key);
  else
    require(is("amd-cpu-sse42-4cu", &targets[1], "exact"), "not the closest: " + served_by.key);
  require(&target_for(device) == served_by.chosen, "target_for differs");
  return failures == 0 ? 0 : 1;
}
