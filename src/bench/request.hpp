// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The line protocol between the tuner and the benchmark driver: a request is a line of key=value
/// fields separated by tabs, a reply is a line of JSON.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../json.hpp"

namespace hornbeam::bench {

/// The request cannot be understood; the tuner and the driver are of different versions.
class bad_request : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The fields of one request.
class request {
 public:
  /// \throws bad_request
  explicit request(const std::string& line);

  /// \throws bad_request if the field is missing or not of the type.
  const std::string& text(const std::string& key) const;
  double number(const std::string& key) const;
  std::vector<long long> integers(const std::string& key, std::size_t count) const;

 private:
  std::map<std::string, std::string> fields_;
};

/// What a request is answered with.
using reply = json::object;

}  // namespace hornbeam::bench
