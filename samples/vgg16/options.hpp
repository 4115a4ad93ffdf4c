// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "network.hpp"

struct options {
  std::filesystem::path weights, input, output, json;
  architecture network;
  std::set<std::string> backends;  ///< none: all
  std::string kernel;
  std::vector<std::string> clblast_parameters;
  int rounds = 0;
};

struct usage_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline constexpr const char* usage = R"(usage: vgg16 --weights FOLDER [option value]...
  --input FILE.npy    images, float32 [batch, size, size, 3], as Keras's preprocess_input makes
                      them; default: random numbers
  --output FOLDER     write the probabilities there, BACKEND.npy, float32 [batch, classes]
  --batch 1, --size 224, --channels 64, --classes 1000
                      the network: images, their height, channels of its first layer, classes
  --backend NAME      hornbeam, hornbeam-one, onemkl, clblast or clblast-tuned; may be repeated;
                      default: all that are here
  --kernel ID         for hornbeam-one; default: the one with the shortest time
  --clblast-parameters KERNEL:NAME=VALUE,...
                      what CLBlast's tuners found; makes clblast clblast-tuned; may be repeated
  --rounds N          time N runs with each back-end, in turns; needs --json
  --json FILE         where to write the times)";

inline int positive(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) {
    throw usage_error("vgg16: not a positive number: " + text);
  }
  return value;
}

/// \throws usage_error
inline options parse(const std::vector<std::string>& words) {
  options parsed;
  const std::map<std::string, std::function<void(const std::string&)>> setters = {
      {"--weights", [&](const auto& value) { parsed.weights = value; }},
      {"--input", [&](const auto& value) { parsed.input = value; }},
      {"--output", [&](const auto& value) { parsed.output = value; }},
      {"--batch", [&](const auto& value) { parsed.network.batch = positive(value); }},
      {"--size", [&](const auto& value) { parsed.network.size = positive(value); }},
      {"--channels", [&](const auto& value) { parsed.network.channels = positive(value); }},
      {"--classes", [&](const auto& value) { parsed.network.classes = positive(value); }},
      {"--backend", [&](const auto& value) { parsed.backends.insert(value); }},
      {"--kernel", [&](const auto& value) { parsed.kernel = value; }},
      {"--clblast-parameters",
       [&](const auto& value) { parsed.clblast_parameters.push_back(value); }},
      {"--rounds", [&](const auto& value) { parsed.rounds = positive(value); }},
      {"--json", [&](const auto& value) { parsed.json = value; }},
  };
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto setter = setters.find(words[i]);
    if (setter == setters.end() || i + 1 == words.size()) {
      throw usage_error(usage);
    }
    setter->second(words[i + 1]);
  }
  if (parsed.weights.empty() || (parsed.rounds > 0) != !parsed.json.empty()) {
    throw usage_error(usage);
  }
  if (parsed.network.size % 32 != 0) {
    throw usage_error("vgg16: --size must be a multiple of 32");
  }
  return parsed;
}
