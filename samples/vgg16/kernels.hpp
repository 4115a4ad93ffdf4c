// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Device code: what a network needs beside matrix multiplication. Each kernel computes one channel
// of one row, where rows are the pixels of all images, stored [batch, height, width, channels].
#pragma once

#include <cstdint>
#include <sycl/sycl.hpp>

/// Rows of the matrix hold the 3 x 3 neighbours, and all their channels, of one pixel each; zeros
/// beyond the border. Called for each pixel and channel.
struct im2col {
  static constexpr const char* name = "im2col";

  const float* image;  ///< [batch, height, width, channels]
  float* matrix;       ///< [batch * height * width, 9 * channels]
  std::int32_t height, width, channels;

  void operator()(std::int32_t row, std::int32_t channel) const {
    const std::int32_t y = row / width % height;
    const std::int32_t x = row % width;
    const float* centre = image + std::int64_t{row} * channels + channel;
    float* out = matrix + std::int64_t{row} * 9 * channels + channel;
    for (std::int32_t dy = -1; dy <= 1; ++dy) {
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        const bool inside = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
        *out = inside ? centre[(std::int64_t{dy} * width + dx) * channels] : 0.0F;
        out += channels;
      }
    }
  }
};

/// Adds the bias of its channel to an element, in place.
struct add_bias {
  static constexpr const char* name = "add_bias";

  float* values;      ///< [rows, channels]
  const float* bias;  ///< [channels]
  std::int32_t channels;
  bool rectify;  ///< then makes negative values 0

  void operator()(std::int32_t row, std::int32_t channel) const {
    float& value = values[std::int64_t{row} * channels + channel];
    const float sum = value + bias[channel];
    value = rectify ? sycl::fmax(sum, 0.0F) : sum;
  }
};

/// Largest of 2 x 2 pixels. Called for each pixel of the result and channel.
struct max_pool {
  static constexpr const char* name = "max_pool";

  const float* image;  ///< [batch, 2 * height, 2 * width, channels]
  float* result;       ///< [batch, height, width, channels]
  std::int32_t width, channels;

  void operator()(std::int32_t row, std::int32_t channel) const {
    const std::int64_t line = std::int64_t{2} * width * channels;
    const std::int64_t pixel = std::int64_t{2} * channels;
    const float* first = image + row / width * (2 * line) + row % width * pixel + channel;
    const float upper = sycl::fmax(first[0], first[channels]);
    const float lower = sycl::fmax(first[line], first[line + channels]);
    result[std::int64_t{row} * channels + channel] = sycl::fmax(upper, lower);
  }
};

/// exp(x) / sum of exp(x) over a row, in place. Called once for each row.
struct softmax {
  static constexpr const char* name = "softmax";

  float* values;  ///< [rows, channels]
  std::int32_t channels;

  void operator()(std::int32_t row, std::int32_t /*channel*/) const {
    float* first = values + std::int64_t{row} * channels;
    float largest = first[0];
    for (std::int32_t i = 1; i < channels; ++i) {
      largest = sycl::fmax(largest, first[i]);
    }
    float sum = 0;
    for (std::int32_t i = 0; i < channels; ++i) {
      first[i] = sycl::exp(first[i] - largest);
      sum += first[i];
    }
    for (std::int32_t i = 0; i < channels; ++i) {
      first[i] /= sum;
    }
  }
};

/// Calls a kernel for the row and channel of a work-item.
template <class Kernel>
void run_at(const sycl::nd_item<2>& item, const Kernel& kernel, std::int32_t rows,
            std::int32_t channels) {
  const auto row = static_cast<std::int32_t>(item.get_global_id(0));
  const auto channel = static_cast<std::int32_t>(item.get_global_id(1));
  if (row < rows && channel < channels) {
    kernel(row, channel);
  }
}
