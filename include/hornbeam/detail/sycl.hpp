// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of SYCL that the public interface names. <sycl/sycl.hpp> costs seconds per source
/// file.
#pragma once

#if __has_include(<sycl/queue.hpp>)
#include <sycl/buffer.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/half_type.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>
#elif __has_include(<sycl/sycl.hpp>)
#include <sycl/sycl.hpp>
#else
#error \
    "no SYCL headers: call hornbeam_add_sycl(<target>) for the CMake target that is compiled here"
#endif
