// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keys of devices, and how closely one belongs to another: the rules of
/// tuning/hornbeam/device_keys.py, which tests hold these against. Needs no SYCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device_naming.hpp"

namespace hornbeam::detail {

/// What a key is made of.
struct device_properties {
  std::string name, vendor;           ///< as the driver reports them
  std::string type;                   ///< cpu, gpu or accelerator
  std::string machine;                ///< of the host, as uname reports it
  std::vector<vector_widths> widths;  ///< of a CPU, the most trustworthy first
  std::int64_t compute_units;
};

/// <vendor>-<type>-<architecture>-<units>cu
std::string device_key(const device_properties& device);

/// How closely a device belongs to the one of another key: exact; family, the same type and
/// architecture; default.
const char* match_of(const std::string& key, const std::string& other);

/// Index of the key that is closest to another.
/// \param keys at least one.
std::size_t closest(const std::string& key, const std::vector<std::string>& keys);

}  // namespace hornbeam::detail
