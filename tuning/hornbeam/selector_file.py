# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors on disk: JSON, checked against a schema and against the operation on reading."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.operations import Operation, get_operation
from hornbeam.schemas import COUNT, TEXT, WORD, nullable, object_of, read_json
from hornbeam.space import configuration_from_id
from hornbeam.types import Score, Selector, TreeNode

SCHEMA = "hornbeam-selector/1"

_POSITIVE = {"type": "integer", "minimum": 1}
_SHARE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}


_SCORE = object_of(
    {
        "kernels": _POSITIVE,
        "ceiling": _SHARE,
        "achieved": _SHARE,
        "single_best": _SHARE,
        "default": nullable(_SHARE),
        "error": {"type": "number", "minimum": 0},
    }
)
_INNER = object_of(
    {
        "feature": {"type": "string", "minLength": 1, "maxLength": 64},
        "threshold": {"type": "number"},
        "left": COUNT,
        "right": COUNT,
        "problems": COUNT,
    }
)
_LEAF = object_of({"kernel": COUNT, "expected_share": nullable(_SHARE), "problems": COUNT})

SELECTOR_SCHEMA: dict[str, Any] = object_of(
    {
        "schema": {"const": SCHEMA},
        "operation": WORD,
        "data_type": WORD,
        "device_key": {"type": "string", "pattern": "^[a-z0-9]*(-[a-z0-9]+)*$", "maxLength": 120},
        "dataset_digest": {"type": "string", "pattern": "^[0-9a-f]*$", "maxLength": 64},
        "options": {
            "type": "object",
            "additionalProperties": {"anyOf": [TEXT, {"type": "number"}]},
        },
        "kernels": {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
        "features": {"type": "array", "items": TEXT, "uniqueItems": True},
        "nodes": {"type": "array", "items": {"anyOf": [_INNER, _LEAF]}, "minItems": 1},
        "scores": {"type": "array", "items": _SCORE},
        "held_out": nullable(_SCORE),
        "notes": {"type": "array", "items": TEXT},
    }
)
"""JSON schema of a selector file."""


def to_json(selector: Selector) -> str:
    """Return the text of a selector file: the same selector, the same bytes."""
    document = {
        "schema": SCHEMA,
        "operation": selector.operation,
        "data_type": selector.data_type,
        "device_key": selector.device_key,
        "dataset_digest": selector.dataset_digest,
        "options": dict(selector.options),
        "kernels": [configuration.id for configuration in selector.kernels],
        "features": list(selector.features),
        "nodes": [_node(node) for node in selector.nodes],
        "scores": [vars(score) for score in selector.scores],
        "held_out": None if selector.held_out is None else vars(selector.held_out),
        "notes": list(selector.notes),
    }
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def read_selector(path: Path) -> Selector:
    """Read and check a selector file.

    Raises:
        DatasetError: the file is missing or damaged, or refers to what the operation lacks.
        ConfigurationError: the operation, or a kernel of it, is unknown.
    """
    raw = read_json(path, SELECTOR_SCHEMA)
    try:
        operation = get_operation(raw["operation"])
        kernels = tuple(configuration_from_id(operation, name) for name in raw["kernels"])
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    nodes = tuple(TreeNode(**_with_share(node)) for node in raw["nodes"])
    _check_features(path, operation, raw["features"], nodes)
    _check_tree(path, nodes, len(raw["kernels"]))
    held_out = raw["held_out"]
    return Selector(
        operation=operation.name,
        data_type=raw["data_type"],
        device_key=raw["device_key"],
        kernels=kernels,
        features=tuple(raw["features"]),
        nodes=nodes,
        scores=tuple(Score(**score) for score in raw["scores"]),
        held_out=None if held_out is None else Score(**held_out),
        options=raw["options"],
        dataset_digest=raw["dataset_digest"],
        notes=tuple(raw["notes"]),
    )


def _node(node: TreeNode) -> dict[str, Any]:
    if node.feature is None:
        known = node.expected_share == node.expected_share
        share = node.expected_share if known else None
        return {"kernel": node.kernel, "expected_share": share, "problems": node.problems}
    return {
        "feature": node.feature,
        "threshold": node.threshold,
        "left": node.left,
        "right": node.right,
        "problems": node.problems,
    }


def _with_share(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node's fields, an unknown share as NaN."""
    unknown = "expected_share" in node and node["expected_share"] is None
    return {**node, "expected_share": float("nan")} if unknown else node


def _check_features(
    path: Path, operation: Operation, features: Sequence[str], nodes: Sequence[TreeNode]
) -> None:
    known = {feature.name for feature in operation.features}
    unknown = sorted(set(features) - known)
    unknown += sorted({node.feature for node in nodes if node.feature} - set(features))
    if unknown:
        raise DatasetError(
            f"{path}: unknown features {', '.join(map(repr, unknown))}; "
            f"{operation.name} has {', '.join(sorted(known))}"
        )


def _check_tree(path: Path, nodes: Sequence[TreeNode], n_kernels: int) -> None:
    """Raise unless every node but the root is the child of exactly one earlier node."""
    children: list[int] = []
    for index, node in enumerate(nodes):
        if node.feature is None:
            if node.kernel >= n_kernels:
                raise DatasetError(f"{path}: node {index} picks kernel {node.kernel}, out of range")
            continue
        if min(node.left, node.right) <= index:
            raise DatasetError(f"{path}: node {index} leads back up the tree")
        children += [node.left, node.right]
    if sorted(children) != list(range(1, len(nodes))):
        raise DatasetError(f"{path}: the nodes do not form one tree")
