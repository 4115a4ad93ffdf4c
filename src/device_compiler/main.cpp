// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// hornbeam-device-compiler: SYCL source to SPIR-V modules, embedded in C++ or as files.
///
///   hornbeam-device-compiler [--include DIR]... (--output FILE.cpp | --spirv-dir DIR) SOURCE.cpp

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler.hpp"

namespace {

namespace fs = std::filesystem;
using hornbeam::device_compiler::compiled_kernel;

struct arguments {
  std::vector<std::string> include_directories;
  std::string output, spirv_directory, source;
};

constexpr const char* usage =
    "usage: hornbeam-device-compiler [--include DIR]... (--output FILE.cpp | --spirv-dir DIR) "
    "SOURCE.cpp";

/// \throws std::invalid_argument
arguments parse(const std::vector<std::string>& words) {
  arguments parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool option = word.rfind("--", 0) == 0;
    if (!option && parsed.source.empty()) {
      parsed.source = word;
      continue;
    }
    if (!option || i + 1 == words.size()) throw std::invalid_argument(usage);
    const std::string& value = words[++i];
    if (word == "--include")
      parsed.include_directories.push_back(value);
    else if (word == "--output")
      parsed.output = value;
    else if (word == "--spirv-dir")
      parsed.spirv_directory = value;
    else
      throw std::invalid_argument(usage);
  }
  if (parsed.source.empty() || parsed.output.empty() == parsed.spirv_directory.empty())
    throw std::invalid_argument(usage);
  return parsed;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Written beside its place and renamed, so that a build cut short leaves no half file.
template <class Write>
void write_file(const fs::path& path, Write write) {
  const fs::path partial = path.string() + ".partial";
  {
    std::ofstream file(partial, std::ios::binary);
    write(file);
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
  }
  fs::rename(partial, path);
}

void write_embedded(std::ostream& out, const std::vector<compiled_kernel>& kernels) {
  constexpr std::size_t bytes_per_line = 32;
  out << "// Written by hornbeam-device-compiler.\n"
         "#include <hornbeam/detail/spirv_module.hpp>\n\n"
         "namespace hornbeam::detail::modules {\n";
  for (const auto& kernel : kernels) {
    out << "\nalignas(4) static const unsigned char bytes_of_" << kernel.function << "[] = {";
    for (std::size_t i = 0; i < kernel.bytes.size(); ++i)
      out << (i % bytes_per_line == 0 ? "\n" : "") << static_cast<unsigned>(kernel.bytes[i]) << ',';
    const auto symbol =
        "hornbeam_module_" + kernel.function.substr(std::string("hornbeam_").size());
    out << "};\nextern const spirv_module " << symbol << ";\nconst spirv_module " << symbol
        << " = {\"" << kernel.function << "\", bytes_of_" << kernel.function << ", sizeof bytes_of_"
        << kernel.function << "};\n";
  }
  out << "\n}  // namespace hornbeam::detail::modules\n";
}

void write_spirv(const fs::path& directory, const std::vector<compiled_kernel>& kernels) {
  fs::create_directories(directory);
  for (const auto& kernel : kernels)
    write_file(directory / (kernel.function + ".spv"), [&](std::ostream& out) {
      out.write(reinterpret_cast<const char*>(kernel.bytes.data()),
                static_cast<std::streamsize>(kernel.bytes.size()));
    });
}

#ifdef HORNBEAM_OPENCL_DRIVER
/// Compiling needs a device to compile for, though not the one that will run the result: use the
/// CPU driver that comes with the compiler, whatever drivers the system has or lacks.
void use_bundled_driver() {
  setenv("OCL_ICD_FILENAMES", HORNBEAM_OPENCL_DRIVER, 1);
  setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  setenv("ONEAPI_DEVICE_SELECTOR", "opencl:cpu", 1);
}
#else
void use_bundled_driver() {}
#endif

}  // namespace

int main(int argc, char** argv) {
  try {
    const arguments given = parse({argv + 1, argv + argc});
    use_bundled_driver();
    const auto kernels =
        hornbeam::device_compiler::compile(read(given.source), given.include_directories);
    if (given.output.empty())
      write_spirv(given.spirv_directory, kernels);
    else
      write_file(given.output, [&](std::ostream& out) { write_embedded(out, kernels); });
    return EXIT_SUCCESS;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "hornbeam-device-compiler: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
