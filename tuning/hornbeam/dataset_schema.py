# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Schema of ``device.json``, which describes a device and what was measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hornbeam.device_keys import KEY_PATTERN
from hornbeam.schemas import COUNT, DIGEST, TEXT, WORD, object_of
from hornbeam.types import DeviceInfo, DeviceLimits, Provenance

SCHEMA = "hornbeam-device/1"
DESCRIPTION = "device.json"


def _open(
    properties: dict[str, Any], optional: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Unknown members are ignored, so that later versions may add some as optional ones."""
    schema = object_of(properties, closed=False)
    return {**schema, "properties": {**properties, **optional}}


DEVICE_SCHEMA: dict[str, Any] = _open(
    {
        "schema": {"const": SCHEMA},
        "device": _open(
            {
                "key": {"type": "string", "pattern": KEY_PATTERN, "maxLength": 120},
                "vendor": TEXT,
                "type": {"enum": ["cpu", "gpu", "accelerator"]},
                "architecture": TEXT,
                "name": TEXT,
                "driver": TEXT,
                "platform": TEXT,
                "max_work_group_size": COUNT,
                "local_memory_bytes": COUNT,
                "compute_units": COUNT,
                "supports_spirv": {"type": "boolean"},
                "data_types": {"type": "array", "items": WORD},
            },
            optional={"vector_width": COUNT},
        ),
        "measurements": {
            "type": "array",
            "items": _open(
                {
                    "operation": WORD,
                    "data_type": WORD,
                    "file": {"type": "string", "pattern": r"^[a-z0-9_]+-[a-z0-9_]+\.csv\.gz$"},
                    "sha256": DIGEST,
                    "rows": COUNT,
                    "provenance": _open(
                        {
                            "compiler": TEXT,
                            "driver": TEXT,
                            "kernel_digest": {"type": "string", "pattern": "^[0-9a-f]*$"},
                            "date": {"type": "string", "pattern": r"^[0-9TZ:+.\-]*$"},
                            "load": {"type": "number", "minimum": 0},
                        }
                    ),
                }
            ),
        },
    }
)


def description_of(device: DeviceInfo) -> dict[str, Any]:
    """The ``device`` object of the description."""
    width = device.limits.vector_width
    return {
        "key": device.key,
        "vendor": device.vendor,
        "type": device.type,
        "architecture": device.architecture,
        "name": device.name,
        "driver": device.driver,
        "platform": device.platform,
        "max_work_group_size": device.limits.max_work_group_size,
        "local_memory_bytes": device.limits.local_memory_bytes,
        "compute_units": device.limits.compute_units,
        **({} if width is None else {"vector_width": width}),
        "supports_spirv": device.supports_spirv,
        "data_types": list(device.data_types),
    }


def device_from(raw: dict[str, Any]) -> DeviceInfo:
    """The device of a checked description."""
    return DeviceInfo(
        key=raw["key"],
        vendor=raw["vendor"],
        type=raw["type"],
        architecture=raw["architecture"],
        name=raw["name"],
        driver=raw["driver"],
        platform=raw["platform"],
        limits=DeviceLimits(
            max_work_group_size=raw["max_work_group_size"],
            local_memory_bytes=raw["local_memory_bytes"],
            compute_units=raw["compute_units"],
            vector_width=raw.get("vector_width"),
        ),
        supports_spirv=raw["supports_spirv"],
        data_types=tuple(raw["data_types"]),
    )


def provenance_from(raw: dict[str, Any]) -> Provenance:
    """The provenance of a checked description."""
    return Provenance(
        compiler=raw["compiler"],
        driver=raw["driver"],
        kernel_digest=raw["kernel_digest"],
        date=raw["date"],
        load=float(raw["load"]),
    )
