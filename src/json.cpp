// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <cmath>
#include <cstdio>

namespace hornbeam::json {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string printed(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

template <class T, class Print>
std::string list(const std::vector<T>& values, Print print) {
  std::string items;
  for (const T& value : values) items += (items.empty() ? "" : ", ") + print(value);
  return "[" + items + "]";
}

}  // namespace

std::string array(const std::vector<std::string>& values) { return list(values, quoted); }

object& object::raw(const std::string& key, const std::string& value) {
  text_ += (text_.empty() ? "" : ", ") + quoted(key) + ": " + value;
  return *this;
}

object& object::field(const std::string& key, const std::string& value) {
  return raw(key, quoted(value));
}
object& object::field(const std::string& key, const char* value) { return raw(key, quoted(value)); }
object& object::field(const std::string& key, double value) { return raw(key, printed(value)); }
object& object::field(const std::string& key, bool value) {
  return raw(key, value ? "true" : "false");
}

object& object::field(const std::string& key, const std::vector<double>& values) {
  return raw(key, list(values, printed));
}
object& object::field(const std::string& key, const std::vector<std::string>& values) {
  return raw(key, array(values));
}
object& object::field(const std::string& key, const std::vector<object>& values) {
  return raw(key, list(values, [](const object& value) { return value.line(); }));
}

}  // namespace hornbeam::json
