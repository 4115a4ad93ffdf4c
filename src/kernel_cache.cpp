// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_cache.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "target.hpp"

namespace hornbeam::detail {

device_kernels::device_kernels(sycl::context context, sycl::device device)
    : context_(std::move(context)),
      device_(std::move(device)),
      usm_(context_),
      target_(target_for(device_)),
      workspaces_(context_, device_) {
  std::vector<const spirv_module*> modules;
  for (std::size_t t = 0; t < target_.table_count; ++t) {
    const selection_table& table = target_.tables[t];
    for (std::size_t i = 0; i < table.kernel_count; ++i)
      modules.insert(modules.end(), std::begin(table.kernels[i].entries),
                     std::end(table.kernels[i].entries));
  }
  std::sort(modules.begin(), modules.end(), std::less<>());
  modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
  for (const spirv_module* module : modules) slots_.emplace_back(new slot{module});
}

device_kernels::slot& device_kernels::find(const spirv_module& module) {
  const auto place = std::lower_bound(
      slots_.begin(), slots_.end(), &module,
      [](const auto& entry, const auto* wanted) { return std::less<>()(entry->module, wanted); });
  return **place;
}

const ready_kernel& device_kernels::get(const spirv_module& module, const char* function) {
  slot& entry = find(module);
  if (const ready_kernel* ready = entry.ready.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard<std::mutex> lock(entry.building);
  if (!entry.owner) {
    entry.owner.reset(new ready_kernel(load_kernel(context_, device_, module, function)));
    entry.ready.store(entry.owner.get(), std::memory_order_release);
  }
  return *entry.owner;
}

namespace {

/// All device_kernels there are. Never destroyed: the driver may be gone before static objects are.
class registry {
 public:
  device_kernels& get(const sycl::context& context, const sycl::device& device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (device_kernels* known = find(context, device)) return *known;
    return *entries_.emplace_back(std::make_unique<device_kernels>(context, device));
  }

 private:
  device_kernels* find(const sycl::context& context, const sycl::device& device) const {
    for (const auto& entry : entries_)
      if (entry->is_for(context, device)) return entry.get();
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<device_kernels>> entries_;
};

}  // namespace

device_kernels& kernels_for(const sycl::context& context, const sycl::device& device) {
  static auto& all = *new registry;
  // What a thread has used before it finds without a lock.
  thread_local std::vector<device_kernels*> used;
  for (device_kernels* known : used)
    if (known->is_for(context, device)) return *known;
  return *used.emplace_back(&all.get(context, device));
}

}  // namespace hornbeam::detail
