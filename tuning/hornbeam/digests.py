# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""One digest over several named contents: equal parts, equal digest, on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def digest_of(parts: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256, in hexadecimal, over named contents in the order given.

    Digests of kernels are stored with measurements: another way to compute them would call
    every stored dataset out of date.
    """
    digest = hashlib.sha256()
    for name, content in parts:
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
