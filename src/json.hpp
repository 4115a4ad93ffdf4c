// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON as the programs and modules around the library write it: on one line.
#pragma once

#include <string>
#include <vector>

namespace hornbeam::json {

/// An array of strings.
std::string array(const std::vector<std::string>& values);

/// One object, written field by field. A number that is not finite becomes null.
class object {
 public:
  object& field(const std::string& key, const std::string& value);
  object& field(const std::string& key, const char* value);
  object& field(const std::string& key, double value);
  object& field(const std::string& key, bool value);
  object& field(const std::string& key, const std::vector<double>& values);
  object& field(const std::string& key, const std::vector<std::string>& values);
  object& field(const std::string& key, const std::vector<object>& values);

  std::string line() const { return "{" + text_ + "}"; }

 private:
  object& raw(const std::string& key, const std::string& value);

  std::string text_;
};

}  // namespace hornbeam::json
