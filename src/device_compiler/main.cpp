// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// hornbeam-device-compiler: SYCL source to SPIR-V modules, embedded in C++ or as files.
///
///   hornbeam-device-compiler [--include DIR]... (--output FILE.cpp | --spirv-dir DIR)
///     [--native-device NAME --native-driver VERSION] SOURCE.cpp
///
/// With --native-device, what that device's driver makes of the modules is embedded beside them.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compiler.hpp"
#include "embed.hpp"
#include "native.hpp"

namespace {

namespace fs = std::filesystem;
using hornbeam::detail::build_target;
using hornbeam::device_compiler::compiled_kernel;
using hornbeam::device_compiler::native_device;

struct arguments {
  std::vector<std::string> include_directories;
  std::string output, spirv_directory, native_device, native_driver, source;
};

constexpr const char* usage =
    "usage: hornbeam-device-compiler [--include DIR]... (--output FILE.cpp | --spirv-dir DIR) "
    "[--native-device NAME --native-driver VERSION] SOURCE.cpp";

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
    else if (word == "--native-device")
      parsed.native_device = value;
    else if (word == "--native-driver")
      parsed.native_driver = value;
    else
      throw std::invalid_argument(usage);
  }
  const bool native = !parsed.native_device.empty();
  if (parsed.source.empty() || parsed.output.empty() == parsed.spirv_directory.empty() ||
      native == parsed.native_driver.empty() || (native && parsed.output.empty()))
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

/// Gives the kernels native binaries of the device that was asked for. They only save time later,
/// so a line says what is missing and the build goes on.
/// \returns what they are for; nothing where the device is not here.
std::optional<build_target> add_native(std::vector<compiled_kernel>& kernels,
                                       const arguments& given) {
  const auto device = native_device::find(given.native_device, given.native_driver);
  if (!device) {
    std::cerr << "hornbeam: no native binaries: " << given.native_device << " with driver "
              << given.native_driver << " is not here\n";
    return std::nullopt;
  }
  for (auto& kernel : kernels) try {
      kernel.native = device->compile(kernel.bytes);
    } catch (const std::runtime_error& error) {
      std::cerr << "hornbeam: no native binary of " << kernel.function << ": " << error.what()
                << '\n';
    }
  return device->target();
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
/// \param alone whether no other driver is needed.
void use_bundled_driver(bool alone) {
  setenv("OCL_ICD_FILENAMES", HORNBEAM_OPENCL_DRIVER, 1);
  if (alone) setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  setenv("ONEAPI_DEVICE_SELECTOR", "opencl:cpu", 1);
}
#else
void use_bundled_driver(bool /*alone*/) {}
#endif

}  // namespace

int main(int argc, char** argv) {
  try {
    const arguments given = parse({argv + 1, argv + argc});
    const bool native = !given.native_device.empty();
    use_bundled_driver(!native);
    auto kernels =
        hornbeam::device_compiler::compile(read(given.source), given.include_directories);
    if (given.output.empty()) {
      write_spirv(given.spirv_directory, kernels);
    } else {
      const auto target = native ? add_native(kernels, given) : std::nullopt;
      write_file(given.output, [&](std::ostream& out) {
        hornbeam::device_compiler::embed(out, kernels, target ? &*target : nullptr);
      });
    }
    return EXIT_SUCCESS;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "hornbeam-device-compiler: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
