// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Times of a network whose weights and input are on the device already.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <hornbeam/matmul.hpp>
#include <iomanip>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "network.hpp"

/// Seconds of each step of one run. The host waits after each: microseconds, the same for all.
inline std::vector<double> run_steps(sycl::queue& queue, const network& network,
                                     const backend& backend) {
  std::vector<double> time_s;
  time_s.reserve(network.steps().size());
  auto before = std::chrono::steady_clock::now();
  for (const step& step : network.steps()) {
    step.submit(backend);
    queue.wait_and_throw();
    const auto after = std::chrono::steady_clock::now();
    time_s.push_back(std::chrono::duration<double>(after - before).count());
    before = after;
  }
  return time_s;
}

/// Seconds, [round][step].
using round_times = std::vector<std::vector<double>>;

/// For each back-end, its times. Back-ends take turns, and each round begins with another one, so
/// that a change of the machine's pace meets them all.
inline std::vector<round_times> interleaved_times(sycl::queue& queue, const network& network,
                                                  const std::vector<backend>& backends,
                                                  int rounds) {
  std::vector<round_times> times(backends.size());
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
    for (std::size_t i = 0; i < backends.size(); ++i) {
      const std::size_t turn = (round + i) % backends.size();
      times[turn].push_back(run_steps(queue, network, backends[turn]));
    }
  }
  return times;
}

/// The deployed kernel with which a run takes the least time. Kernels run in turns; after each turn
/// the slower half is out. The reference kernel, the last, takes part only where it is alone.
inline std::string best_single_kernel(sycl::queue queue, const network& network) {
  std::vector<std::string> kernels = hornbeam::kernels<float>(queue.get_device());
  kernels.resize(std::max<std::size_t>(kernels.size() - 1, 1));
  std::vector<std::pair<double, std::string>> rivals;  // seconds of the shortest run so far
  rivals.reserve(kernels.size());
  for (const std::string& kernel : kernels) {
    rivals.emplace_back(std::numeric_limits<double>::infinity(), kernel);
  }
  while (rivals.size() > 1) {
    for (auto& [shortest_s, kernel] : rivals) {
      const auto time_s = run_steps(queue, network, one_kernel_backend(kernel));
      shortest_s = std::min(shortest_s, std::accumulate(time_s.begin(), time_s.end(), 0.0));
    }
    std::sort(rivals.begin(), rivals.end());
    rivals.resize((rivals.size() + 1) / 2);
  }
  return rivals.front().second;
}

/// Writes "[a, b, ...]" with what `print` writes for each element.
template <class Elements, class Print>
void write_list(std::ostream& out, const Elements& elements, Print print) {
  const char* separator = "[";
  for (const auto& element : elements) {
    out << separator;
    print(element);
    separator = ", ";
  }
  out << (elements.empty() ? "[]" : "]");
}

inline void write_step(std::ostream& out, const step& step, const sycl::device& device) {
  out << "\n  {\"layer\": " << std::quoted(step.layer)
      << ", \"operation\": " << std::quoted(step.operation);
  if (const auto& shape = step.shape; shape.m > 0) {
    out << ", \"m\": " << shape.m << ", \"k\": " << shape.k << ", \"n\": " << shape.n
        << ", \"kernel\": " << std::quoted(hornbeam::explain<float>(device, shape).kernel);
  }
  out << '}';
}

/// Writes what was measured, and on what, for plot.py.
/// \throws std::runtime_error
inline void write_json(const std::filesystem::path& path, const sycl::device& device,
                       const network& network, const std::vector<backend>& backends,
                       const std::vector<round_times>& times) {
  const auto now = std::time(nullptr);
  std::ofstream out(path);
  out << "{\"device\": " << std::quoted(device.get_info<sycl::info::device::name>())
      << ",\n\"driver\": " << std::quoted(device.get_info<sycl::info::device::driver_version>())
      << ",\n\"date\": \"" << std::put_time(std::gmtime(&now), "%F") << '"'
      << ",\n\"hornbeam\": " << std::quoted(hornbeam::build_info().version)
      << ",\n\"dataset\": " << std::quoted(hornbeam::explain<float>(device, {1, 1, 1}).dataset_key)
      << ",\n\"batch\": " << network.form().batch << ", \"size\": " << network.form().size
      << ", \"channels\": " << network.form().channels << ",\n\"steps\": ";
  write_list(out, network.steps(), [&](const step& step) { write_step(out, step, device); });
  out << ",\n\"backends\": ";
  auto rounds = times.begin();
  write_list(out, backends, [&](const backend& backend) {
    out << "\n  {\"name\": " << std::quoted(backend.name)
        << ", \"kernel\": " << std::quoted(backend.kernel) << ", \"time_s\": ";
    write_list(out, *rounds++, [&](const std::vector<double>& round) {
      write_list(out, round, [&](double time_s) { out << time_s; });
    });
    out << '}';
  });
  if (!(out << "}\n").flush()) {
    throw std::runtime_error(path.string() + ": cannot be written");
  }
}
