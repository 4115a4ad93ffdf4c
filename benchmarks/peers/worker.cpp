// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bench/request.hpp>
#include <bench/timing.hpp>
#include <iostream>
#include <stdexcept>

namespace hornbeam::peers {
namespace {

using bench::request;

/// A file of floats, mapped.
class mapped_file {
 public:
  mapped_file(const std::string& path, std::size_t count, bool writable)
      : bytes_(count * sizeof(float)) {
    const int file = open(path.c_str(), writable ? O_RDWR : O_RDONLY);
    if (file < 0) throw std::runtime_error("cannot open " + path);
    const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    data_ = mmap(nullptr, bytes_, access, MAP_SHARED, file, 0);
    close(file);
    if (data_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { munmap(data_, bytes_); }

  float* data() const { return static_cast<float*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

json::object load(peer& library, const request& given) {
  const auto p = given.integers("problem", 6);
  const problem x{p[0], p[1], p[2], p[3], p[4] != 0, p[5] != 0};
  const std::string& folder = given.text("folder");
  {
    const mapped_file a(folder + "/a", x.a_count(), false);
    const mapped_file b(folder + "/b", x.b_count(), false);
    library.load(x, a.data(), b.data());
  }
  library.multiply();
  library.read_result(mapped_file(folder + "/c", x.c_count(), true).data());
  return json::object().field("status", "ok").field("explanation", library.explanation());
}

json::object measure(peer& library, const request& given) {
  const bench::timing_plan plan{given.number("min_batch_s"),
                                static_cast<int>(given.number("samples")), given.number("slow_s")};
  const auto nothing_left = [] {};  // each product was waited for
  const auto found = bench::time_launches(plan, [&] { library.multiply(); }, nothing_left);
  return json::object().field("status", "ok").field("times_s", found.times_s);
}

json::object answer(peer& library, const std::string& line) {
  try {
    const request given(line);
    const std::string& command = given.text("command");
    if (command == "load") return load(library, given);
    if (command == "measure") return measure(library, given);
    throw bench::bad_request("unknown command " + command);
  } catch (const std::exception& error) {
    return json::object().field("status", "error").field("message", error.what());
  }
}

}  // namespace

void say(const json::object& answer) { std::cout << answer.line() << std::endl; }

void serve(peer& library, json::object ready) {
  ready.field("ready", true).field("pid", static_cast<double>(getpid()));
  say(ready);
  for (std::string line; std::getline(std::cin, line);) say(answer(library, line));
}

}  // namespace hornbeam::peers
