# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of JSON documents, with errors that name the file and the place in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from hornbeam.errors import DatasetError


def validate(document: object, schema: Mapping[str, Any], source: str) -> None:
    """Check ``document`` against a JSON schema.

    Raises:
        DatasetError: naming ``source``, the place in it and what is wrong there.
    """
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error is not None:
        raise DatasetError(f"{source}: {error.json_path}: {error.message[:300]}")


def read_json(path: Path, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Read a JSON object from a file and check it.

    Raises:
        DatasetError: where the file can't be read, is no JSON or breaks the schema.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DatasetError(f"{path}: is not valid JSON: {error}") from error
    validate(document, schema, str(path))
    if not isinstance(document, dict):
        raise DatasetError(f"{path}: a JSON object is expected")
    return document
