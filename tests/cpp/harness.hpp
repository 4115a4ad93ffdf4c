// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs that hold several tests: `program NAME` runs one, `program` lists them. Each test has a
/// process of its own, since contexts and compiled kernels stay until the end of one.
#pragma once

#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

using named_tests = std::map<std::string, std::function<void()>>;

inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// Runs `body`, which must throw an Exception whose message holds `text`.
template <class Exception, class Body>
void require_throws(const std::string& text, Body body) {
  try {
    body();
  } catch (const Exception& error) {
    require(std::string(error.what()).find(text) != std::string::npos, error.what());
    return;
  }
  throw std::runtime_error("nothing was thrown, expected: " + text);
}

inline int run_tests(const named_tests& tests, int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, body] : tests) std::cout << name << '\n';
    return 0;
  }
  try {
    tests.at(argv[1])();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
  }
}
