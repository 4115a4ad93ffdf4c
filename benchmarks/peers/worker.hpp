// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the programs that run one library each have in common: they answer requests, a line each,
/// so that one runner can let libraries take turns that would not fit into one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <json.hpp>
#include <string>

namespace hornbeam::peers {

/// C[m,n] = op(A)[m,k] * op(B)[k,n], row-major and packed, for every entry of the batch.
struct problem {
  std::int64_t m, k, n, batch;
  bool transpose_a, transpose_b;

  std::int64_t lda() const { return transpose_a ? m : k; }
  std::int64_t ldb() const { return transpose_b ? k : n; }
  std::size_t a_count() const { return static_cast<std::size_t>(batch * m * k); }
  std::size_t b_count() const { return static_cast<std::size_t>(batch * k * n); }
  std::size_t c_count() const { return static_cast<std::size_t>(batch * m * n); }
};

/// One library, on one device.
class peer {
 public:
  peer() = default;
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  virtual ~peer() = default;

  /// Puts operands where the library wants them, and NaN into C.
  virtual void load(const problem& x, const float* a, const float* b) = 0;

  /// One product; returns when C is written.
  virtual void multiply() = 0;

  virtual void read_result(float* c) = 0;

  /// What the library says it does for the problem; empty where it does not tell.
  virtual std::string explanation() const { return ""; }
};

/// Writes an answer.
void say(const json::object& answer);

/// Answers requests from standard input until it ends:
/// - `command=load folder=F problem=m,k,n,batch,ta,tb` takes the operands from the files a and b of
///   the folder, multiplies once and writes the result into its file c;
/// - `command=measure samples=S min_batch_s=T slow_s=L` times the loaded product.
/// \param ready what is said first: device, driver, versions.
void serve(peer& library, json::object ready);

/// Runs a program that serves one library; says why it cannot where that is so.
template <class Serve>
int run(Serve serve_library) {
  try {
    serve_library();
    return 0;
  } catch (const std::exception& error) {
    say(json::object().field("ready", false).field("message", error.what()));
    return 1;
  }
}

}  // namespace hornbeam::peers
