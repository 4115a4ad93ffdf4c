# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Every way of choosing kernels and of picking among them, compared on a stored dataset."""
