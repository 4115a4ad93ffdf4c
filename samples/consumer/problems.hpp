// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <hornbeam/matmul.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

/// One multiplication of a network's layer.
struct problem {
  std::string network;
  hornbeam::matmul_shape shape;

  /// Floating-point operations.
  double flops() const {
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
           static_cast<double>(shape.k) * static_cast<double>(shape.batch);
  }
};

/// Reads the sizes of a row "m,k,n,batch,...".
inline hornbeam::matmul_shape parse_row(const std::string& row, const std::string& file) {
  hornbeam::matmul_shape shape{};
  char comma = 0;
  std::istringstream text(row);
  if (!(text >> shape.m >> comma >> shape.k >> comma >> shape.n >> comma >> shape.batch)) {
    throw std::runtime_error(file + ": not of the form m,k,n,batch: " + row);
  }
  return shape;
}

/// Reads files with a header line and a size in each row; a size in several files counts once.
inline std::vector<problem> read_problems(const std::vector<std::string>& files) {
  std::vector<problem> problems;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const std::string& name : files) {
    std::ifstream file(name);
    std::string row;
    if (!std::getline(file, row)) {  // the header
      throw std::runtime_error(name + ": cannot be read");
    }
    while (std::getline(file, row)) {
      const auto shape = parse_row(row, name);
      if (seen.insert({shape.m, shape.n, shape.k, shape.batch}).second) {
        problems.push_back({std::filesystem::path(name).stem().string(), shape});
      }
    }
  }
  return problems;
}

/// At most `count` of the problems with at most `most_flops`, spread evenly from the least to the
/// most.
inline std::vector<problem> spread(std::vector<problem> problems, std::size_t count,
                                   double most_flops) {
  problems.erase(
      std::remove_if(problems.begin(), problems.end(),
                     [&](const problem& problem) { return problem.flops() > most_flops; }),
      problems.end());
  std::stable_sort(problems.begin(), problems.end(),
                   [](const problem& x, const problem& y) { return x.flops() < y.flops(); });
  count = std::min(count, problems.size());
  std::vector<problem> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(problems[count > 1 ? i * (problems.size() - 1) / (count - 1) : 0]);
  }
  return chosen;
}
