// SPDX-FileCopyrightText: The hornbeam authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Marks what the library exports; everything else is hidden.
#pragma once

#if defined(_WIN32)
#define HORNBEAM_API
#else
#define HORNBEAM_API __attribute__((visibility("default")))
#endif
