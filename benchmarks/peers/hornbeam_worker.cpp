// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// hornbeam, as it was built.
#include <hornbeam/matmul.hpp>

#include "usm_peer.hpp"

namespace hornbeam::peers {
namespace {

class tuned_library : public usm_peer {
 public:
  tuned_library() { hornbeam::prepare<float>(queue_); }

  std::vector<std::string> kernels() const { return hornbeam::kernels<float>(queue_.get_device()); }

  void load(const problem& x, const float* a, const float* b) override {
    usm_peer::load(x, a, b);
    shape_ = {x.m, x.n, x.k, x.batch};
    options_.transa = x.transpose_a ? transpose::trans : transpose::nontrans;
    options_.transb = x.transpose_b ? transpose::trans : transpose::nontrans;
  }

  void multiply() override {
    hornbeam::matmul(queue_, a_.get(), b_.get(), c_.get(), shape_, options_).wait();
  }

  std::string explanation() const override {
    return hornbeam::explain<float>(queue_.get_device(), shape_, options_).kernel;
  }

 private:
  matmul_shape shape_{};
  matmul_options<float> options_;
};

}  // namespace
}  // namespace hornbeam::peers

int main() {
  return hornbeam::peers::run([] {
    hornbeam::peers::tuned_library library;
    hornbeam::peers::serve(library, library.ready()
                                        .field("version", hornbeam::build_info().version)
                                        .field("kernels", library.kernels()));
  });
}
