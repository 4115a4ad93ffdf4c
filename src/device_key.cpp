// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "device_key.hpp"

#include <algorithm>
#include <locale>
#include <optional>
#include <regex>
#include <tuple>

namespace hornbeam::detail {
namespace {

/// A pattern that means the same whatever locale the program sets.
std::regex compiled(const char* pattern) {
  std::regex result;
  result.imbue(std::locale::classic());
  result.assign(pattern);
  return result;
}

/// ASCII in lower case without marks; every other byte becomes a space.
std::string plain(const std::string& text) {
  std::string result = text.substr(0, naming.longest_text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) >= 0x80) c = ' ';
  }
  return std::regex_replace(result, compiled(naming.marks), " ");
}

std::vector<std::string> words(const std::string& text) {
  const std::regex word = compiled(naming.word);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
    found.push_back(i->str());
  return found;
}

/// An architecture as it stands in a key.
std::string part(const std::string& text) {
  std::string result = text.substr(0, naming.longest_part);
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? naming.no_architecture : result;
}

std::string hardware_vendor(const device_properties& device) {
  for (const std::string& text : {plain(device.name), plain(device.vendor)})
    for (std::size_t i = 0; i < naming.maker_count; ++i)
      if (std::regex_search(text, compiled(naming.makers[i].pattern))) return naming.makers[i].name;
  const auto found = words(plain(device.vendor));
  return found.empty() ? naming.no_maker : found.front().substr(0, naming.longest_part);
}

std::string cpu_architecture(const device_properties& device) {
  std::string machine;
  for (const std::string& word : words(plain(device.machine))) machine += word;
  const auto is_this = [&](const char* name) { return plain(device.machine) == plain(name); };
  const auto* last = naming.x86_machines + naming.x86_machine_count;
  if (std::none_of(naming.x86_machines, last, is_this)) return part(machine);
  for (const vector_widths& widths : device.widths)
    for (std::size_t i = 0; i < naming.instruction_set_count; ++i) {
      const auto& known = naming.instruction_sets[i];
      if (known.widths.floats == widths.floats && known.widths.integers == widths.integers)
        return known.name;
    }
  return naming.other_x86;
}

std::string device_architecture(const device_properties& device, const std::string& vendor) {
  std::string name = plain(device.name);
  name = std::regex_replace(name.substr(0, name.find(':')), compiled(naming.version), " ");
  std::string result;
  std::size_t count = 0;
  for (const std::string& word : words(std::regex_replace(name, compiled(naming.noise), " ")))
    if (word != vendor && count++ < naming.most_words) result += (result.empty() ? "" : "-") + word;
  return part(result);
}

/// A key taken apart.
struct key_parts {
  std::string vendor, type, architecture;
  std::int64_t units;
};

/// Nothing for a name that is not made like a key.
std::optional<key_parts> parse_key(const std::string& key) {
  std::smatch found;
  if (!std::regex_match(key, found, compiled(naming.key))) return std::nullopt;
  return key_parts{found.str(1), found.str(2), found.str(3), std::stoll(found.str(4))};
}

using distance = std::tuple<int, bool, bool, std::int64_t>;

/// The smaller the closer: type, architecture, vendor, units.
distance distance_of(const std::optional<key_parts>& wanted, const std::string& key) {
  const auto other = parse_key(key);
  if (!wanted || !other) return {wanted ? 2 : 0, false, false, 0};
  const std::int64_t units = other->units - wanted->units;
  return {other->type != wanted->type ? 1 : 0, other->architecture != wanted->architecture,
          other->vendor != wanted->vendor, units < 0 ? -units : units};
}

}  // namespace

std::string device_key(const device_properties& device) {
  const std::string vendor = hardware_vendor(device);
  const std::string architecture =
      device.type == "cpu" ? cpu_architecture(device) : device_architecture(device, vendor);
  return vendor + '-' + device.type + '-' + architecture + '-' +
         std::to_string(device.compute_units) + "cu";
}

const char* match_of(const std::string& key, const std::string& other) {
  if (key == other) return "exact";
  const auto wanted = parse_key(key), parts = parse_key(other);
  const bool family =
      wanted && parts && wanted->type == parts->type && wanted->architecture == parts->architecture;
  return family ? "family" : "default";
}

std::size_t closest(const std::string& key, const std::vector<std::string>& keys) {
  const auto wanted = parse_key(key);
  const auto rank = [&](const std::string& other) {
    return std::make_tuple(other != key, distance_of(wanted, other), other);
  };
  const auto best = std::min_element(
      keys.begin(), keys.end(), [&](const auto& x, const auto& y) { return rank(x) < rank(y); });
  return static_cast<std::size_t>(best - keys.begin());
}

}  // namespace hornbeam::detail
