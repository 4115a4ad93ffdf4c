// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// oneMKL's SYCL gemm, and its strided gemm_batch for batches.
#include <oneapi/mkl/blas.hpp>

#include "usm_peer.hpp"

namespace hornbeam::peers {
namespace {

namespace blas = oneapi::mkl::blas::row_major;

oneapi::mkl::transpose op(bool transposed) {
  return transposed ? oneapi::mkl::transpose::trans : oneapi::mkl::transpose::nontrans;
}

class onemkl : public usm_peer {
 public:
  void multiply() override {
    const auto& x = x_;
    const auto ta = op(x.transpose_a), tb = op(x.transpose_b);
    if (x.batch == 1)
      blas::gemm(queue_, ta, tb, x.m, x.n, x.k, 1.0F, a_.get(), x.lda(), b_.get(), x.ldb(), 0.0F,
                 c_.get(), x.n)
          .wait();
    else
      blas::gemm_batch(queue_, ta, tb, x.m, x.n, x.k, 1.0F, a_.get(), x.lda(), x.m * x.k, b_.get(),
                       x.ldb(), x.k * x.n, 0.0F, c_.get(), x.n, x.m * x.n, x.batch)
          .wait();
  }
};

}  // namespace
}  // namespace hornbeam::peers

int main() {
  return hornbeam::peers::run([] {
    hornbeam::peers::onemkl library;
    hornbeam::peers::serve(library, library.ready());
  });
}
