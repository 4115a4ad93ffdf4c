# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tuning pipeline of hornbeam: measures kernels, selects a few, renders the code that ships them."""
