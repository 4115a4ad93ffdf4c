# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of JSON documents, with errors that name the file and the place in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from hornbeam import strict_json
from hornbeam.errors import DatasetError

WORD: Mapping[str, Any] = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 64}
TEXT: Mapping[str, Any] = {"type": "string", "maxLength": 300}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0}
DIGEST: Mapping[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def object_of(properties: Mapping[str, Any], closed: bool = True) -> dict[str, Any]:
    """Return the schema of an object of which every property is required.

    Args:
        properties: name -> schema.
        closed: whether it may hold nothing else.
    """
    schema = {"type": "object", "properties": dict(properties), "required": list(properties)}
    return {**schema, "additionalProperties": False} if closed else schema


def nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of what may also be ``null``."""
    return {"anyOf": [schema, {"type": "null"}]}


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
        document = strict_json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path}: is not valid JSON: {error}") from error
    validate(document, schema, str(path))
    if not isinstance(document, dict):
        raise DatasetError(f"{path}: a JSON object is expected")
    return document
