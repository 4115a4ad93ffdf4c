// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a fuzz target where libFuzzer is not at hand: the inputs of a corpus, then mutations of
/// them, the same ones for the same seed. Takes a few of libFuzzer's arguments:
///   [-runs=N] [-seed=N] [FILE or FOLDER...]
/// An input that fails is written to crash-input.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using bytes = std::vector<std::uint8_t>;

bytes current;

void keep_current() {
  std::ofstream file("crash-input", std::ios::binary);
  file.write(reinterpret_cast<const char*>(current.data()),
             static_cast<std::streamsize>(current.size()));
  std::cerr << "input of " << current.size() << " bytes written to crash-input\n";
}

void run(const bytes& input) {
  current = input;
  LLVMFuzzerTestOneInput(current.data(), current.size());
}

bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<bytes> corpus_of(const std::vector<std::filesystem::path>& places) {
  std::vector<bytes> corpus;
  for (const auto& place : places) {
    if (!std::filesystem::is_directory(place)) {
      corpus.push_back(read(place));
      continue;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(place))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // mutations must not depend on the file system
    for (const auto& file : files) corpus.push_back(read(file));
  }
  return corpus;
}

class mutator {
 public:
  explicit mutator(std::uint64_t seed) : random_(seed) {}

  bytes next(const std::vector<bytes>& corpus) {
    if (corpus.empty() || below(4) == 0) {
      bytes fresh(below(128));
      for (auto& byte : fresh) byte = static_cast<std::uint8_t>(random_());
      return fresh;
    }
    bytes input = corpus[below(corpus.size())];
    for (std::size_t i = below(6) + 1; i > 0; --i) mutate(input, corpus);
    return input;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  void mutate(bytes& input, const std::vector<bytes>& corpus) {
    const std::size_t at = below(input.size() + 1);
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(at == input.size() ? 2 : 5)) {
      case 0:
        input.insert(place, static_cast<std::uint8_t>(random_()));
        break;
      case 1: {  // the end of another input
        const bytes& other = corpus[below(corpus.size())];
        const auto from = static_cast<std::ptrdiff_t>(below(other.size() + 1));
        input.erase(place, input.end());
        input.insert(input.end(), other.begin() + from, other.end());
        break;
      }
      case 2:
        input.erase(place);
        break;
      case 3:
        *place ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      default:
        *place = static_cast<std::uint8_t>(random_());
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 0, seed = 0;
  std::vector<std::filesystem::path> places;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("-runs=", 0) == 0)
      runs = std::stoull(argument.substr(6));
    else if (argument.rfind("-seed=", 0) == 0)
      seed = std::stoull(argument.substr(6));
    else
      places.emplace_back(argument);
  }
  std::signal(SIGABRT, [](int) { keep_current(); });
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(keep_current);
#endif
  const auto corpus = corpus_of(places);
  for (const auto& input : corpus) run(input);
  mutator mutations(seed);
  for (std::uint64_t i = 0; i < runs; ++i) run(mutations.next(corpus));
  std::cout << corpus.size() << " inputs of the corpus, " << runs << " mutations: no fault\n";
  return 0;
}
