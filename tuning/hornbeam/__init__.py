# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measures kernels, selects a few for a device, and renders the code that ships them."""
