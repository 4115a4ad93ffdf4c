// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <sstream>

namespace hornbeam::bench {

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

}  // namespace hornbeam::bench
