// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays in numpy's .npy files, format 1.0: the bytes "\x93NUMPY" 1 0, the length of the header in
// two bytes, the header (a Python dictionary in ASCII, filled up with spaces), the elements.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

using shape = std::vector<std::int64_t>;

inline constexpr std::array<char, 8> magic = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};

inline std::size_t size(const shape& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

/// The header that numpy writes for float32 in C order.
inline std::string header(const shape& shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",), }" : "), }");
}

/// Reads a header, without the spaces after it.
/// \throws std::runtime_error, without the file's name
inline std::string read_header(std::istream& file) {
  std::array<char, 8> start{};
  std::array<unsigned char, 2> length{};
  file.read(start.data(), start.size());
  file.read(reinterpret_cast<char*>(length.data()), length.size());
  if (!file || start != magic) {
    throw std::runtime_error("not a .npy file of format 1.0");
  }
  std::string text(length[0] + length[1] * std::size_t{256}, ' ');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) {
    throw std::runtime_error("ends within its header");
  }
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

/// Reads an array of float32 that must have a given shape.
/// \throws std::runtime_error that names the file, where it is anything else.
inline std::vector<float> read(const std::filesystem::path& path, const shape& shape) try {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot be read");
  }
  const std::string found = read_header(file);
  if (found != header(shape)) {
    throw std::runtime_error("holds " + found + ", needed is " + header(shape));
  }
  std::vector<float> values(size(shape));
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  if (!file.read(reinterpret_cast<char*>(values.data()), bytes)) {
    throw std::runtime_error("ends after " + std::to_string(file.gcount()) + " of " +
                             std::to_string(bytes) + " bytes of elements");
  }
  if (file.peek() != std::ifstream::traits_type::eof()) {
    throw std::runtime_error("goes on after its elements");
  }
  return values;
} catch (const std::runtime_error& error) {
  throw std::runtime_error(path.string() + ": " + error.what());
}

/// Writes an array.
/// \throws std::runtime_error
inline void write(const std::filesystem::path& path, const shape& shape,
                  const std::vector<float>& values) {
  constexpr std::size_t alignment = 64;  // of the elements, as numpy has it
  const std::size_t before = magic.size() + 2;
  std::string text = header(shape);
  text.resize((before + text.size() + alignment) / alignment * alignment - before, ' ');
  text.back() = '\n';
  std::ofstream file(path, std::ios::binary);
  file.write(magic.data(), magic.size());
  file.put(static_cast<char>(text.size() % 256)).put(static_cast<char>(text.size() / 256)) << text;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file.flush()) {
    throw std::runtime_error(path.string() + ": cannot be written");
  }
}

}  // namespace npy
