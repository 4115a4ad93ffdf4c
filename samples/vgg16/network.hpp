// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <hornbeam/matmul.hpp>
#include <memory>
#include <new>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "device_code.hpp"
#include "weights.hpp"

/// VGG16, or a relative of other width: its layers have channels in proportion to those of the
/// first.
struct architecture {
  std::int32_t batch = 1;
  std::int32_t size = 224;     ///< height and width of the images, a multiple of 32
  std::int32_t channels = 64;  ///< of the first layer
  std::int32_t classes = 1000;

  npy::shape input() const { return {batch, size, size, 3}; }
  npy::shape output() const { return {batch, classes}; }
};

/// One launch of a kernel, or one multiplication.
struct step {
  std::string layer;
  std::string operation;
  std::function<void(const backend&)> submit;
  hornbeam::matmul_shape shape{};  ///< of a multiplication
};

/// The network with its weights on the device of an in-order queue. A convolution is im2col, a
/// multiplication by the kernel as Keras stores it, and the bias.
class network {
 public:
  /// \param weights folder with LAYER.kernel.npy and LAYER.bias.npy of each layer
  /// \throws std::runtime_error where one is missing or has another shape
  network(const sycl::queue& queue, const architecture& architecture, std::filesystem::path weights)
      : queue_(queue),
        architecture_(architecture),
        weights_(std::move(weights)),
        height_(architecture.size),
        channels_(3) {
    input_ = values_ = allocate(npy::size(architecture.input()));
    // Of all convolutions, the second has the largest matrix: pooling leaves a quarter of the
    // pixels.
    const std::int32_t widest = 9 * std::max(architecture.channels, channels_);
    matrix_ = allocate(static_cast<std::size_t>(pixels()) * static_cast<std::size_t>(widest));
    add_layers();
    code_ = std::make_unique<device_code>(queue);
  }
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  network(network&&) = delete;
  network& operator=(network&&) = delete;
  ~network() = default;

  void set_input(const std::vector<float>& images) {
    queue_.copy(images.data(), input_, images.size()).wait();
  }

  const architecture& form() const { return architecture_; }

  /// What to submit, in this order.
  const std::vector<step>& steps() const { return steps_; }

  /// Probabilities of the classes, for each image.
  std::vector<float> output() {
    std::vector<float> result(npy::size(architecture_.output()));
    queue_.copy(values_, result.data(), result.size()).wait();
    return result;
  }

 private:
  using device_array = std::unique_ptr<float, std::function<void(float*)>>;

  void add_layers() {
    const std::pair<int, std::int32_t> blocks[] = {{2, 1}, {2, 2}, {3, 4}, {3, 8}, {3, 8}};
    int number = 0;
    for (const auto& [convolutions, factor] : blocks) {
      const std::string block = "block" + std::to_string(++number);
      for (int i = 1; i <= convolutions; ++i) {
        add_convolution(block + "_conv" + std::to_string(i), factor * architecture_.channels);
      }
      add_pool(block + "_pool");
    }
    channels_ *= height_ * height_;  // from here on a row is an image
    height_ = 1;
    add_dense("fc1", 64 * architecture_.channels, true);
    add_dense("fc2", 64 * architecture_.channels, true);
    add_dense("predictions", architecture_.classes, false);
    add_kernel("predictions", "softmax", softmax{values_, channels_}, architecture_.batch, 1);
  }

  void add_convolution(const std::string& layer, std::int32_t outputs) {
    const float* kernel = load(layer + ".kernel.npy", {3, 3, channels_, outputs});
    add_kernel(layer, "im2col", im2col{values_, matrix_, height_, height_, channels_}, pixels(),
               channels_);
    add_product(layer, matrix_, kernel, {pixels(), outputs, std::int64_t{9} * channels_});
    add_bias_of(layer, true);
  }

  void add_dense(const std::string& layer, std::int32_t outputs, bool rectify) {
    const float* kernel = load(layer + ".kernel.npy", {channels_, outputs});
    add_product(layer, values_, kernel, {pixels(), outputs, channels_});
    add_bias_of(layer, rectify);
  }

  void add_pool(const std::string& layer) {
    height_ /= 2;
    float* result = allocate_values(channels_);
    add_kernel(layer, "pool", max_pool{values_, result, height_, channels_}, pixels(), channels_);
    values_ = result;
  }

  /// values = a * b
  void add_product(const std::string& layer, const float* a, const float* b,
                   const hornbeam::matmul_shape& shape) {
    channels_ = static_cast<std::int32_t>(shape.n);
    float* c = values_ = allocate_values(channels_);
    steps_.push_back({layer, "matmul",
                      [=](const backend& backend) { backend.multiply(queue_, a, b, c, shape); },
                      shape});
  }

  void add_bias_of(const std::string& layer, bool rectify) {
    const float* bias = load(layer + ".bias.npy", {channels_});
    add_kernel(layer, "bias", add_bias{values_, bias, channels_, rectify}, pixels(), channels_);
  }

  template <class Kernel>
  void add_kernel(const std::string& layer, const std::string& operation, const Kernel& kernel,
                  std::int32_t rows, std::int32_t channels) {
    steps_.push_back(
        {layer, operation, [=](const backend&) { code_->run(kernel, rows, channels); }});
  }

  std::int32_t pixels() const { return architecture_.batch * height_ * height_; }

  float* allocate_values(std::int32_t channels) {
    return allocate(static_cast<std::size_t>(pixels()) * static_cast<std::size_t>(channels));
  }

  float* allocate(std::size_t size) {
    device_array array(sycl::malloc_device<float>(size, queue_),
                       [queue = queue_](float* data) { sycl::free(data, queue); });
    if (array == nullptr) {
      throw std::bad_alloc();
    }
    return arrays_.emplace_back(std::move(array)).get();
  }

  const float* load(const std::string& file, const npy::shape& shape) {
    const std::vector<float> values = npy::read(weights_ / file, shape);
    float* data = allocate(values.size());
    queue_.copy(values.data(), data, values.size()).wait();
    return data;
  }

  sycl::queue queue_;
  architecture architecture_;
  std::filesystem::path weights_;
  std::vector<device_array> arrays_;
  std::unique_ptr<device_code> code_;
  std::vector<step> steps_;

  // Where the last layer so far leaves its values, [batch, height, height, channels].
  float* values_ = nullptr;
  std::int32_t height_;
  std::int32_t channels_;

  float* input_ = nullptr;
  float* matrix_ = nullptr;  // of im2col
};
