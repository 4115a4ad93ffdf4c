// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device_description.hpp"
#include "device_key.hpp"

namespace hornbeam::detail {
namespace {

served_device serve(std::string key) {
  std::vector<std::string> keys;
  keys.reserve(target_count);
  for (std::size_t i = 0; i < target_count; ++i) keys.emplace_back(targets[i].key);
  const target& chosen = targets[closest(key, keys)];
  const std::string measured = chosen.dataset_key;
  const char* match = measured.empty() ? "" : match_of(key, measured);
  return {std::move(key), &chosen, match};
}

served_device look_up(const sycl::device& device) {
  try {
    return serve(device_key(describe(device)));
  } catch (...) {  // an odd driver must not keep the kernels from running
    return {"unknown", &targets[0], *targets[0].dataset_key == '\0' ? "" : "default"};
  }
}

}  // namespace

const served_device& served(const sycl::device& device) {
  // Never destroyed: the driver may be gone before static objects are.
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::unordered_map<sycl::device, served_device>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto place = known.find(device);
  return place != known.end() ? place->second
                              : known.emplace(device, look_up(device)).first->second;
}

const target& target_for(const sycl::device& device) {
  return target_count == 1 ? targets[0] : *served(device).chosen;
}

}  // namespace hornbeam::detail
