// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "embed.hpp"

#include <cstdio>
#include <string>

namespace hornbeam::device_compiler {
namespace {

void define_bytes(std::ostream& out, const std::string& name,
                  const std::vector<unsigned char>& bytes) {
  constexpr std::size_t bytes_per_line = 32;
  out << "alignas(8) static const unsigned char " << name << "[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out << (i % bytes_per_line == 0 ? "\n" : "") << static_cast<unsigned>(bytes[i]) << ',';
  out << "};\n";
}

/// A string literal; the texts are the driver's, so anything may be in them.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    quoted += plain ? std::string(1, c) : std::string(octal);
  }
  return quoted + '"';
}

}  // namespace

void embed(std::ostream& out, const std::vector<compiled_kernel>& kernels,
           const detail::build_target* native) {
  out << "// Written by hornbeam-device-compiler.\n"
         "#include <hornbeam/detail/spirv_module.hpp>\n\n"
         "namespace hornbeam::detail::functions {\n";
  for (const auto& kernel : kernels) {
    const auto& function = kernel.function;
    const auto bytes = "bytes_of_" + function, binary = "native_" + function;
    const bool has_native = native != nullptr && !kernel.native.empty();
    out << '\n';
    define_bytes(out, bytes, kernel.bytes);
    if (has_native) {
      define_bytes(out, "bytes_of_" + binary, kernel.native);
      out << "static const native_binary " << binary << " = {" << literal(native->device) << ", "
          << literal(native->driver) << ", " << literal(native->instruction_set) << ", bytes_of_"
          << binary << ", sizeof bytes_of_" << binary << "};\n";
    }
    out << "extern const spirv_module " << function << ";\nconst spirv_module " << function
        << " = {\"" << function << "\", " << bytes << ", sizeof " << bytes << ", "
        << (has_native ? "&" + binary : "nullptr") << "};\n";
  }
  out << "\n}  // namespace hornbeam::detail::functions\n";
}

}  // namespace hornbeam::device_compiler
