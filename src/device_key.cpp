// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "device_key.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace hornbeam::detail {
namespace {

using std::string;
using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
bool is_of_run(char c) { return is_of_word(c) || c == '.'; }
bool is_of_version(char c) { return is_digit(c) || c == '.'; }
bool is_of_key(char c) { return is_of_word(c) || c == '-'; }

template <class Is>
bool all(string_view text, Is is) {
  return std::all_of(text.begin(), text.end(), is);
}

/// ASCII in lower case; every other byte becomes a space.
string plain(const string& text) {
  string result = text.substr(0, naming.longest_text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) >= 0x80) c = ' ';
  }
  return result;
}

/// The text without what stands between two characters.
string without(string text, char open, char close) {
  auto begin = text.find(open);
  while (begin != string::npos) {
    const auto end = text.find(close, begin);
    if (end == string::npos) break;
    text.replace(begin, end - begin + 1, 1, ' ');
    begin = text.find(open, begin);
  }
  return text;
}

string without_brackets(const string& text) { return without(without(text, '(', ')'), '[', ']'); }

/// The longest pieces of a text that consist of some characters alone.
template <class Is>
std::vector<string> pieces(const string& text, Is is) {
  std::vector<string> found;
  for (auto i = text.begin(); i != text.end();) {
    const auto begin = std::find_if(i, text.end(), is);
    i = std::find_if_not(begin, text.end(), is);
    if (begin != i) found.emplace_back(begin, i);
  }
  return found;
}

std::vector<string> words(const string& text) { return pieces(text, is_of_word); }

/// Whether a run of letters, digits and dots is a dotted number.
bool is_version(string_view run) {
  const auto begin = run.find_first_not_of('.');
  if (begin == string_view::npos) return false;
  run = run.substr(begin, run.find_last_not_of('.') + 1 - begin);
  return run.find('.') != string_view::npos && all(run, is_of_version);
}

/// In patterns # stands for digits, at least one, and * at the end for anything.
bool matches(string_view pattern, string_view word) {
  std::size_t i = 0;
  for (const char c : pattern) {
    if (c == '*') return true;
    if (i == word.size() || (c == '#' ? !is_digit(word[i]) : word[i] != c)) return false;
    ++i;
    while (c == '#' && i < word.size() && is_digit(word[i])) ++i;
  }
  return i == word.size();
}

bool matches(const device_naming::list& patterns, const string& word) {
  return std::any_of(patterns.begin, patterns.begin + patterns.size,
                     [&](const char* pattern) { return matches(pattern, word); });
}

string hardware_vendor(const device_properties& device) {
  for (const string* text : {&device.name, &device.vendor}) {
    const auto found = words(plain(*text));
    for (std::size_t i = 0; i < naming.maker_count; ++i)
      if (std::any_of(found.begin(), found.end(),
                      [&](const string& word) { return matches(naming.makers[i].patterns, word); }))
        return naming.makers[i].name;
  }
  const auto found = words(without_brackets(plain(device.vendor)));
  return found.empty() ? naming.no_maker : found.front().substr(0, naming.longest_part);
}

/// An architecture as it stands in a key.
string part(const string& text) {
  string result = text.substr(0, naming.longest_part);
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? naming.no_architecture : result;
}

string cpu_architecture(const device_properties& device) {
  const string machine = plain(device.machine);
  const auto& x86 = naming.x86;
  if (std::find(x86.begin, x86.begin + x86.size, machine) == x86.begin + x86.size) {
    string name;
    for (const string& word : words(machine)) name += word;
    return part(name);
  }
  for (const vector_widths& widths : device.widths)
    for (std::size_t i = 0; i < naming.instruction_set_count; ++i) {
      const auto& known = naming.instruction_sets[i];
      if (known.widths.floats == widths.floats && known.widths.integers == widths.integers)
        return known.name;
    }
  return naming.other_x86;
}

string device_architecture(const device_properties& device, const string& vendor) {
  const string name = plain(device.name);
  string result;
  std::size_t count = 0;
  for (const string& run : pieces(without_brackets(name.substr(0, name.find(':'))), is_of_run)) {
    if (is_version(run)) continue;
    for (const string& word : words(run))
      if (word != vendor && !matches(naming.noise, word) && count++ < naming.most_words)
        result += (result.empty() ? "" : "-") + word;
  }
  return part(result);
}

/// A key taken apart.
struct key_parts {
  string vendor, type, architecture;
  std::int64_t units;
};

/// Nothing for a name that is not made like a key.
std::optional<key_parts> parse_key(const string& key) {
  constexpr std::size_t most_digits = 10;
  const auto vendor = key.find('-'), architecture = key.find('-', vendor + 1),
             units = key.rfind('-');
  if (vendor == string::npos || architecture >= units) return std::nullopt;
  const key_parts parts{key.substr(0, vendor), key.substr(vendor + 1, architecture - vendor - 1),
                        key.substr(architecture + 1, units - architecture - 1), 0};
  const string number = key.substr(units + 1, key.size() - units - 3);
  const bool is_key = all(parts.vendor, is_of_word) && !parts.vendor.empty() &&
                      (parts.type == "cpu" || parts.type == "gpu" || parts.type == "accelerator") &&
                      all(parts.architecture, is_of_key) && !parts.architecture.empty() &&
                      all(number, is_digit) && !number.empty() && number.size() <= most_digits &&
                      key.substr(units + 1) == number + "cu";
  if (!is_key) return std::nullopt;
  return key_parts{parts.vendor, parts.type, parts.architecture, std::stoll(number)};
}

using distance = std::tuple<int, bool, bool, std::int64_t>;

/// The smaller the closer: type, architecture, vendor, units.
distance distance_of(const std::optional<key_parts>& wanted, const string& key) {
  const auto other = parse_key(key);
  if (!wanted || !other) return {wanted ? 2 : 0, false, false, 0};
  const std::int64_t units = other->units - wanted->units;
  return {other->type != wanted->type ? 1 : 0, other->architecture != wanted->architecture,
          other->vendor != wanted->vendor, units < 0 ? -units : units};
}

}  // namespace

string device_key(const device_properties& device) {
  const string vendor = hardware_vendor(device);
  const string architecture =
      device.type == "cpu" ? cpu_architecture(device) : device_architecture(device, vendor);
  return vendor + '-' + device.type + '-' + architecture + '-' +
         std::to_string(device.compute_units) + "cu";
}

const char* match_of(const string& key, const string& other) {
  if (key == other) return "exact";
  const auto wanted = parse_key(key), parts = parse_key(other);
  const bool family =
      wanted && parts && wanted->type == parts->type && wanted->architecture == parts->architecture;
  return family ? "family" : "default";
}

std::size_t closest(const string& key, const std::vector<string>& keys) {
  const auto wanted = parse_key(key);
  const auto rank = [&](const string& other) {
    return std::make_tuple(other != key, distance_of(wanted, other), other);
  };
  const auto best = std::min_element(
      keys.begin(), keys.end(), [&](const auto& x, const auto& y) { return rank(x) < rank(y); });
  return static_cast<std::size_t>(best - keys.begin());
}

}  // namespace hornbeam::detail
