// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs VGG16 with each library for its matrix multiplications that is here, and can time them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "network.hpp"
#include "options.hpp"
#include "timing.hpp"
#include "weights.hpp"

namespace {

std::vector<float> random_images(const npy::shape& shape) {
  std::minstd_rand random(1);
  std::normal_distribution<float> distribution;
  std::vector<float> images(npy::size(shape));
  std::generate(images.begin(), images.end(), [&] { return distribution(random); });
  return images;
}

void print_best(const std::string& name, const std::vector<float>& probabilities) {
  constexpr std::size_t shown = 5;
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(shown, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](auto x, auto y) { return probabilities[x] > probabilities[y]; });
  std::printf("%-13s", name.c_str());
  for (auto i = order.begin(); i != end; ++i) {
    std::printf("  %4zu: %.5f", *i, static_cast<double>(probabilities[*i]));
  }
  std::printf("\n");
}

bool agree(const std::vector<float>& values, const std::vector<float>& expected) {
  constexpr float tolerance = 1e-3F;  // of the largest
  const float allowed = tolerance * *std::max_element(expected.begin(), expected.end());
  return std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
                    [&](float x, float y) { return std::abs(x - y) <= allowed; });
}

std::vector<backend> choose_backends(const sycl::queue& queue, const network& network,
                                     const options& options) {
  const auto wanted = [&](const std::string& name) {
    return options.backends.empty() || options.backends.count(name) > 0;
  };
  std::vector<backend> chosen;
  if (wanted("hornbeam")) {
    chosen.push_back(hornbeam_backend());
  }
  if (wanted("hornbeam-one")) {
    const auto& kernel = options.kernel;
    chosen.push_back(
        one_kernel_backend(kernel.empty() ? best_single_kernel(queue, network) : kernel));
  }
  for (auto& other : other_backends(queue, options.clblast_parameters)) {
    if (wanted(other.name)) {
      chosen.push_back(std::move(other));
    }
  }
  if (chosen.empty()) {
    throw std::runtime_error("none of the back-ends that were asked for is in this program");
  }
  return chosen;
}

int run(const options& options) {
  sycl::queue queue{sycl::property::queue::in_order{}};
  network network(queue, options.network, options.weights);
  const npy::shape shape = options.network.input();
  network.set_input(options.input.empty() ? random_images(shape) : npy::read(options.input, shape));
  hornbeam::prepare<float>(queue);
  const std::vector<backend> backends = choose_backends(queue, network, options);
  std::vector<float> expected;
  for (const backend& backend : backends) {
    run_steps(queue, network, backend);
    const std::vector<float> output = network.output();
    if (!options.output.empty()) {
      npy::write(options.output / (backend.name + ".npy"), options.network.output(), output);
    }
    print_best(backend.name, {output.begin(), output.begin() + options.network.classes});
    expected = expected.empty() ? output : expected;
    if (!agree(output, expected)) {
      throw std::runtime_error(backend.name + " and " + backends.front().name +
                               " give other probabilities");
    }
  }
  if (options.rounds > 0) {
    write_json(options.json, queue.get_device(), network, backends,
               interleaved_times(queue, network, backends, options.rounds));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse({argv + 1, argv + argc}));
  } catch (const usage_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vgg16: %s\n", error.what());
    return 1;
  }
}
