// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <cmath>
#include <cstdio>
#include <sstream>

namespace hornbeam::bench {
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

}  // namespace

request::request(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; std::getline(words, word, '\t');) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) throw bad_request("field without '=': " + word);
    fields_[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

const std::string& request::text(const std::string& key) const {
  const auto found = fields_.find(key);
  if (found == fields_.end()) throw bad_request("field is missing: " + key);
  return found->second;
}

double request::number(const std::string& key) const {
  std::istringstream stream(text(key));
  double value = 0;
  if (!(stream >> value) || !stream.eof())
    throw bad_request("not a number: " + key + "=" + text(key));
  return value;
}

std::vector<long long> request::integers(const std::string& key, std::size_t count) const {
  std::istringstream stream(text(key));
  std::vector<long long> values;
  for (long long value = 0; stream >> value; stream.ignore(1, ',')) values.push_back(value);
  if (values.size() != count)
    throw bad_request("not " + std::to_string(count) + " integers: " + key + "=" + text(key));
  return values;
}

reply& reply::raw(const std::string& key, const std::string& value) {
  text_ += (text_.empty() ? "" : ", ") + quoted(key) + ": " + value;
  return *this;
}

reply& reply::field(const std::string& key, const std::string& value) {
  return raw(key, quoted(value));
}
reply& reply::field(const std::string& key, const char* value) { return raw(key, quoted(value)); }
reply& reply::field(const std::string& key, double value) { return raw(key, printed(value)); }
reply& reply::field(const std::string& key, bool value) {
  return raw(key, value ? "true" : "false");
}

reply& reply::field(const std::string& key, const std::vector<double>& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + printed(value);
  return raw(key, "[" + list + "]");
}

}  // namespace hornbeam::bench
