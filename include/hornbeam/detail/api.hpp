// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Marks what the library exports; everything else is hidden. Explicit instantiations need the mark
/// too: element types that are hidden, as sycl::half is where everything is, would hide them.
#pragma once

#if defined(_WIN32)
#define HORNBEAM_API
#else
#define HORNBEAM_API __attribute__((visibility("default")))
#endif
