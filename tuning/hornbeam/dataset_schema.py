# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Schema of ``device.json``, which describes a device and what was measured on it."""

from __future__ import annotations

from typing import Any

from hornbeam.device_keys import KEY_PATTERN
from hornbeam.types import DeviceInfo, DeviceLimits, Provenance

SCHEMA = "hornbeam-device/1"
DESCRIPTION = "device.json"

_WORD = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 64}
_TEXT = {"type": "string", "maxLength": 300}
_COUNT = {"type": "integer", "minimum": 0}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


DEVICE_SCHEMA: dict[str, Any] = _object(
    {
        "schema": {"const": SCHEMA},
        "device": _object(
            {
                "key": {"type": "string", "pattern": KEY_PATTERN, "maxLength": 120},
                "vendor": _TEXT,
                "type": {"enum": ["cpu", "gpu", "accelerator"]},
                "architecture": _TEXT,
                "name": _TEXT,
                "driver": _TEXT,
                "platform": _TEXT,
                "max_work_group_size": _COUNT,
                "local_memory_bytes": _COUNT,
                "compute_units": _COUNT,
                "supports_spirv": {"type": "boolean"},
                "data_types": {"type": "array", "items": _WORD},
            }
        ),
        "measurements": {
            "type": "array",
            "items": _object(
                {
                    "operation": _WORD,
                    "data_type": _WORD,
                    "file": {"type": "string", "pattern": r"^[a-z0-9_]+-[a-z0-9_]+\.csv\.gz$"},
                    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                    "rows": _COUNT,
                    "provenance": _object(
                        {
                            "compiler": _TEXT,
                            "driver": _TEXT,
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
