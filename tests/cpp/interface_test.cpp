// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The interfaces beside matmul on USM pointers: buffers, and gemm in BLAS's argument order. What
/// they compute is compared, bit for bit, with matmul on USM, which other tests compare with numpy.

#include <hornbeam/blas.hpp>
#include <limits>
#include <random>
#include <sycl/sycl.hpp>
#include <vector>

#include "harness.hpp"

namespace {

using hornbeam::layout;
using hornbeam::matmul_options;
using hornbeam::matmul_shape;
using hornbeam::transpose;
using values = std::vector<float>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

values random_values(std::size_t count, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> distribution(-1.0F, 1.0F);
  values result(count);
  for (auto& value : result) value = distribution(random);
  return result;
}

/// Elements of a matrix of `lines` lines, least memory: the last line needs its own elements only.
std::size_t extent(std::int64_t lines, std::int64_t length, std::int64_t ld, std::int64_t stride,
                   std::int64_t batch) {
  return static_cast<std::size_t>(stride * (batch - 1) + ld * (lines - 1) + length);
}

/// A batched call with padding everywhere, in memory of exactly the least size.
struct example {
  matmul_shape shape{5, 7, 6, 3};
  matmul_options<float> options{};
  values a, b, c;

  example(layout order, transpose transa, transpose transb) {
    options.order = order;
    options.transa = transa;
    options.transb = transb;
    options.alpha = 0.75F;
    options.beta = -0.5F;
    const bool columns = order == layout::column_major;
    const auto make = [&](std::int64_t rows, std::int64_t cols, bool by_columns,
                          std::optional<std::int64_t>& ld, std::optional<std::int64_t>& stride,
                          std::uint32_t seed) {
      const std::int64_t lines = by_columns ? cols : rows, length = by_columns ? rows : cols;
      ld = length + 2;
      stride = *ld * lines + 3;
      return random_values(extent(lines, length, *ld, *stride, shape.batch), seed);
    };
    a = make(shape.m, shape.k, columns != (transa != transpose::nontrans), options.lda,
             options.stride_a, 1);
    b = make(shape.k, shape.n, columns != (transb != transpose::nontrans), options.ldb,
             options.stride_b, 2);
    c = make(shape.m, shape.n, columns, options.ldc, options.stride_c, 3);
  }
};

/// Copies in USM, as long as it lives.
class usm_copy {
 public:
  usm_copy(sycl::queue queue, const values& from)
      : queue_(queue), size_(from.size()), data_(sycl::malloc_shared<float>(size_, queue)) {
    std::copy(from.begin(), from.end(), data_);
  }
  usm_copy(const usm_copy&) = delete;
  usm_copy& operator=(const usm_copy&) = delete;
  ~usm_copy() { sycl::free(data_, queue_); }

  float* data() { return data_; }
  values read() const { return {data_, data_ + size_}; }

 private:
  sycl::queue queue_;
  std::size_t size_;
  float* data_;
};

values on_usm(sycl::queue& queue, const example& x) {
  usm_copy a(queue, x.a), b(queue, x.b), c(queue, x.c);
  hornbeam::matmul(queue, a.data(), b.data(), c.data(), x.shape, x.options).wait_and_throw();
  return c.read();
}

/// Runs `call` on buffers that hold the example's operands; returns C.
template <class Call>
values on_buffers(const example& x, Call call) {
  values result = x.c;
  {
    sycl::buffer<float> a(x.a.data(), sycl::range<1>(x.a.size()));
    sycl::buffer<float> b(x.b.data(), sycl::range<1>(x.b.size()));
    sycl::buffer<float> c(result.data(), sycl::range<1>(result.size()));
    call(a, b, c);
  }
  return result;
}

void same_bits(const values& got, const values& wanted) {
  require(got.size() == wanted.size() &&
              std::memcmp(got.data(), wanted.data(), got.size() * sizeof(float)) == 0,
          "differs from matmul on USM pointers");
}

template <class Body>
void for_each_form(Body body) {
  for (const auto order : {layout::row_major, layout::column_major})
    for (const auto transa : {transpose::nontrans, transpose::trans})
      for (const auto transb : {transpose::nontrans, transpose::conjtrans})
        body(example(order, transa, transb));
}

void buffers_of_the_least_size() {
  sycl::queue queue;
  for_each_form([&](const example& x) {
    same_bits(on_buffers(x, [&](auto& a, auto& b,
                                auto& c) { hornbeam::matmul(queue, a, b, c, x.shape, x.options); }),
              on_usm(queue, x));
  });
}

void every_kernel_takes_buffers() {
  sycl::queue queue;
  example x(layout::row_major, transpose::nontrans, transpose::nontrans);
  for (const auto& id : hornbeam::kernels<float>(queue.get_device())) {
    x.options.kernel = id;
    same_bits(on_buffers(x, [&](auto& a, auto& b,
                                auto& c) { hornbeam::matmul(queue, a, b, c, x.shape, x.options); }),
              on_usm(queue, x));
  }
}

/// x -> x * b 100 times, ordered by the buffers alone; with b = 2/n everywhere elements double.
void buffers_order_calls() {
  constexpr std::int64_t n = 32;
  sycl::queue queue;
  values result(n * n, 1.0F);
  {
    const values scale(n * n, 2.0F / n);
    sycl::buffer<float> even(result.data(), sycl::range<1>(n * n));
    sycl::buffer<float> odd{sycl::range<1>(n * n)};
    sycl::buffer<float> b(scale.data(), sycl::range<1>(n * n));
    for (int i = 0; i < 50; ++i) {
      hornbeam::matmul(queue, even, b, odd, {n, n, n});
      hornbeam::matmul(queue, odd, b, even, {n, n, n});
    }
  }
  for (const float value : result) require(value == std::ldexp(1.0F, 100), "not run in order");
}

void buffers_without_a_product() {
  sycl::queue queue;
  example x(layout::row_major, transpose::nontrans, transpose::nontrans);
  const values tiny(1, nan);
  for (const float beta : {0.0F, 2.0F}) {
    values result(30, beta == 0 ? nan : 3.0F);
    {
      sycl::buffer<float> unread(tiny.data(), sycl::range<1>(1));
      sycl::buffer<float> c(result.data(), sycl::range<1>(30));
      matmul_options<float> options;
      options.alpha = 0;
      options.beta = beta;
      hornbeam::matmul(queue, unread, unread, c, {5, 6, 7}, options);
      hornbeam::matmul(queue, unread, unread, unread, {0, 6, 7}).wait();
    }
    for (const float value : result) require(value == 3 * beta, "C must be beta * C");
  }
}

#if defined(__ADAPTIVECPP__)
void sub_buffers() { throw std::runtime_error("AdaptiveCpp has no sub-buffers"); }
#else
/// Matrices inside larger buffers; what lies around C stays as it is.
void sub_buffers() {
  sycl::queue queue;
  constexpr std::size_t before = 256, whole = 1024;  // offsets that any device allows
  const example x(layout::row_major, transpose::nontrans, transpose::trans);
  const auto padded = [&](const values& inner) {
    values result(whole, nan);
    std::copy(inner.begin(), inner.end(), result.begin() + before);
    return result;
  };
  values a = padded(x.a),
         b = padded(x.b);  // not const: DPC++ 2026.2 fails on parts of such buffers
  values c = padded(x.c), wanted = padded(on_usm(queue, x));
  {
    sycl::buffer<float> whole_a(a.data(), sycl::range<1>(whole));
    sycl::buffer<float> whole_b(b.data(), sycl::range<1>(whole));
    sycl::buffer<float> whole_c(c.data(), sycl::range<1>(whole));
    const auto inner = [&](sycl::buffer<float>& buffer, std::size_t size) {
      return sycl::buffer<float>(buffer, sycl::id<1>(before), sycl::range<1>(size));
    };
    auto inner_a = inner(whole_a, x.a.size()), inner_b = inner(whole_b, x.b.size()),
         inner_c = inner(whole_c, x.c.size());
    hornbeam::matmul(queue, inner_a, inner_b, inner_c, x.shape, x.options);
  }
  same_bits(c, wanted);
}
#endif

void small_buffers_are_refused() {
  sycl::queue queue;
  for_each_form([&](const example& x) {
    const auto run = [&](std::size_t less_a, std::size_t less_b, std::size_t less_c) {
      sycl::buffer<float> a{sycl::range<1>(x.a.size() - less_a)};
      sycl::buffer<float> b{sycl::range<1>(x.b.size() - less_b)};
      sycl::buffer<float> c{sycl::range<1>(x.c.size() - less_c)};
      hornbeam::matmul(queue, a, b, c, x.shape, x.options);
    };
    const auto refused = [&](const std::string& name, const values& whole, auto body) {
      require_throws<hornbeam::invalid_argument>(
          "matmul: " + name + " is a buffer of " + std::to_string(whole.size() - 1) +
              " elements, must have at least " + std::to_string(whole.size()),
          body);
    };
    refused("a", x.a, [&] { run(1, 0, 0); });
    refused("b", x.b, [&] { run(0, 1, 0); });
    refused("c", x.c, [&] { run(0, 0, 1); });
  });
  sycl::buffer<float> one{sycl::range<1>(1)};
  matmul_options<float> options;
  options.alpha = 0;
  const std::int64_t many = (std::int64_t{1} << 30) + 1;
  require_throws<hornbeam::invalid_argument>(
      "n is 1073741825, must be at most 1073741824 for buffers",
      [&] { hornbeam::matmul(queue, one, one, one, {1, many, 1}, options); });
  options.order = layout::column_major;
  require_throws<hornbeam::invalid_argument>(
      "m is 1073741825, must be at most 1073741824 for buffers",
      [&] { hornbeam::matmul(queue, one, one, one, {many, 1, 1}, options); });
}

/// Calls body(gemm, gemm_batch) with the functions of one layout.
template <class Body>
void with_functions_of(layout order, Body body) {
  namespace blas = hornbeam::blas;
  if (order == layout::row_major)
    body(blas::row_major::gemm, blas::row_major::gemm_batch);
  else
    body(blas::column_major::gemm, blas::column_major::gemm_batch);
}

void gemm_batch() {
  sycl::queue queue;
  for_each_form([&](const example& x) {
    const auto& o = x.options;
    const auto [m, n, k, batch] = x.shape;
    const values wanted = on_usm(queue, x);
    with_functions_of(o.order, [&, m = m, n = n, k = k, batch = batch](auto, auto function) {
      usm_copy a(queue, x.a), b(queue, x.b), c(queue, x.c);
      function(queue, o.transa, o.transb, m, n, k, o.alpha, a.data(), *o.lda, *o.stride_a, b.data(),
               *o.ldb, *o.stride_b, o.beta, c.data(), *o.ldc, *o.stride_c, batch)
          .wait_and_throw();
      same_bits(c.read(), wanted);
      same_bits(on_buffers(x,
                           [&](auto& a_buffer, auto& b_buffer, auto& c_buffer) {
                             function(queue, o.transa, o.transb, m, n, k, o.alpha, a_buffer, *o.lda,
                                      *o.stride_a, b_buffer, *o.ldb, *o.stride_b, o.beta, c_buffer,
                                      *o.ldc, *o.stride_c, batch);
                           }),
                wanted);
    });
  });
}

void gemm() {
  sycl::queue queue;
  for_each_form([&](example x) {
    x.shape.batch = 1;
    auto& o = x.options;
    const auto [m, n, k, batch] = x.shape;
    o.alpha = 2;
    const values wanted = on_usm(queue, x);
    with_functions_of(o.order, [&, m = m, n = n, k = k](auto function, auto) {
      usm_copy a(queue, x.a), b(queue, x.b), c(queue, x.c);
      // A scalar of another type: the operands decide.
      function(queue, o.transa, o.transb, m, n, k, 2, a.data(), *o.lda, b.data(), *o.ldb, o.beta,
               c.data(), *o.ldc, {sycl::event{}})
          .wait_and_throw();
      same_bits(c.read(), wanted);
      same_bits(on_buffers(x,
                           [&](auto& a_buffer, auto& b_buffer, auto& c_buffer) {
                             function(queue, o.transa, o.transb, m, n, k, 2, a_buffer, *o.lda,
                                      b_buffer, *o.ldb, o.beta, c_buffer, *o.ldc);
                           }),
                wanted);
    });
  });
}

/// The results of BLAS itself, by hand: [1 2; 3 4] * [5 6; 7 8].
void gemm_by_hand() {
  sycl::queue queue;
  usm_copy a(queue, {1, 2, 3, 4}), b(queue, {5, 6, 7, 8}), c(queue, values(4, nan));
  const auto none = transpose::nontrans;
  hornbeam::blas::row_major::gemm(queue, none, none, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 0,
                                  c.data(), 2)
      .wait();
  same_bits(c.read(), {19, 22, 43, 50});
  hornbeam::blas::column_major::gemm(queue, none, none, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 0,
                                     c.data(), 2)
      .wait();
  same_bits(c.read(), {23, 34, 31, 46});
}

const named_tests tests = {
    {"buffers_of_the_least_size", buffers_of_the_least_size},
    {"buffers_order_calls", buffers_order_calls},
    {"buffers_without_a_product", buffers_without_a_product},
    {"every_kernel_takes_buffers", every_kernel_takes_buffers},
    {"gemm", gemm},
    {"gemm_batch", gemm_batch},
    {"gemm_by_hand", gemm_by_hand},
    {"small_buffers_are_refused", small_buffers_are_refused},
    {"sub_buffers", sub_buffers},
};

}  // namespace

int main(int argc, char** argv) { return run_tests(tests, argc, argv); }
