// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values out of a fuzzer's bytes, drawn so that few bytes reach the edges of 64-bit arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

namespace fuzz {

/// Reads bytes from the front; zeros once they are used up.
class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  /// 0 .. count - 1.
  std::int64_t below(std::int64_t count) { return byte() % count; }

  /// Any 64-bit value: small, next to a power of two, or eight raw bytes.
  std::int64_t integer() {
    switch (below(5)) {
      case 0:
        return byte();
      case 1:
        return byte() - 128;
      case 2:
        return near(std::int64_t{1} << below(63));
      case 3:
        return near(std::numeric_limits<std::int64_t>::max() / (std::int64_t{1} << below(8)));
      default: {
        std::uint64_t raw = 0;
        for (int i = 0; i < 8; ++i) raw = raw << 8 | byte();
        std::int64_t value = 0;
        std::memcpy(&value, &raw, sizeof value);
        return value;
      }
    }
  }

  /// A size: usually one that a matrix could have.
  std::int64_t size() {
    switch (below(4)) {
      case 0:
        return 1 + below(70);
      case 1:
        return near(std::int64_t{1} << below(32));
      case 2:
        return near((std::int64_t{1} << 30) * (1 + below(3)));
      default:
        return integer();
    }
  }

  /// Absent, a bound that matters or close to it, or anything.
  std::optional<std::int64_t> option(std::int64_t bound) {
    switch (below(4)) {
      case 0:
        return std::nullopt;
      case 1:
        return bound;
      case 2:
        return near(bound);
      default:
        return integer();
    }
  }

  std::string text() {
    std::string result(static_cast<std::size_t>(below(40)), '\0');
    for (char& letter : result) letter = static_cast<char>(byte());
    return result;
  }

 private:
  /// Within 4 of a value, where that is representable.
  std::int64_t near(std::int64_t value) {
    std::int64_t moved = 0;
    return __builtin_add_overflow(value, below(9) - 4, &moved) ? value : moved;
  }

  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace fuzz
