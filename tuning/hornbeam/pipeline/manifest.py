# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The output folder: generated files, a manifest of them as JSON and as CMake code.

Files are rewritten only when they change, so that nothing is compiled again without need;
files of an earlier run that are no longer generated are removed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hornbeam import paths
from hornbeam.bench import kernel_headers
from hornbeam.codegen import template_dir
from hornbeam.dataset import replace_file
from hornbeam.errors import CodegenError, DatasetError
from hornbeam.literals import cmake_bracket
from hornbeam.operations import Operation
from hornbeam.schemas import DIGEST, object_of, read_json
from hornbeam.types import DeviceInfo

SCHEMA = "hornbeam-manifest/1"
JSON_NAME = "manifest.json"
CMAKE_NAME = "manifest.cmake"

_MANIFEST_SCHEMA = object_of(
    {
        "schema": {"const": SCHEMA},
        "input_digest": DIGEST,
        "tuned_digest": DIGEST,
        "measured_digest": {"type": "string", "pattern": "^([0-9a-f]{64})?$"},
        "options": {"type": "object"},
        "targets": {"type": "array"},
        "summary": {"type": "array", "items": {"type": "string"}},
        "files": {"type": "object", "additionalProperties": DIGEST},
    }
)


@dataclass(frozen=True)
class Manifest:
    """What an output folder holds and what it was made from.

    Attributes:
        input_digest: over everything that can change the files.
        tuned_digest: over the generated sources: a library built from them is another binary
            exactly when this differs.
        measured_digest: over what was last asked to be measured here; it is not measured again
            while that stays the same. Empty where nothing was.
        options: as given.
        targets: for each target its dataset, kernels and scores.
        summary: lines for the user.
        files: generated file, relative to the folder -> SHA-256.
    """

    input_digest: str
    tuned_digest: str
    measured_digest: str
    options: Mapping[str, str | int | float]
    targets: Sequence[Mapping[str, Any]]
    summary: tuple[str, ...]
    files: Mapping[str, str]


@dataclass(frozen=True)
class Dependencies:
    """What CMake has to know beside the generated sources.

    Attributes:
        inputs: files, and folders, whose change must make it configure again.
        kernel_headers: whose change must make it compile device sources again.
        native: the device to embed native binaries for, None where there are to be none.
    """

    inputs: tuple[Path, ...]
    kernel_headers: tuple[Path, ...]
    native: DeviceInfo | None = None

    @classmethod
    def of(
        cls, operation: Operation, more: Iterable[Path] = (), native: DeviceInfo | None = None
    ) -> Dependencies:
        """Those of an operation: files of hornbeam itself, and more inputs."""
        headers = kernel_headers(operation, paths.include_dir())
        # A header may come to include another.
        inputs = {*generator_inputs(operation), *headers, *more}
        return cls(tuple(sorted(inputs)), tuple(headers), native)


def generator_inputs(operation: Operation) -> list[Path]:
    """Return the files of hornbeam itself that can change what is generated, sorted."""
    package = Path(__file__).resolve().parents[1]
    found = [*package.rglob("*.py"), *template_dir().glob("*.j2")]
    found += operation.template_dir().glob("*.j2")
    found += [kernel.path for kernel in operation.kernels]
    found += [paths.root() / "VERSION"]
    return sorted({path for path in found if path.is_file()})


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of an output folder; None where there is none or it is damaged."""
    try:
        raw = read_json(folder / JSON_NAME, _MANIFEST_SCHEMA)
    except DatasetError:
        return None
    return Manifest(
        input_digest=raw["input_digest"],
        tuned_digest=raw["tuned_digest"],
        measured_digest=raw["measured_digest"],
        options=raw["options"],
        targets=raw["targets"],
        summary=tuple(raw["summary"]),
        files=raw["files"],
    )


def is_intact(folder: Path, manifest: Manifest) -> bool:
    """Return whether every file of the manifest is there, unchanged."""
    if not (folder / CMAKE_NAME).is_file():
        return False
    for name, digest in manifest.files.items():
        path = _inside(folder, name)
        if path is None or not path.is_file():
            return False
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            return False
    return True


def write_output(
    folder: Path, files: Mapping[str, str], manifest: Manifest, dependencies: Dependencies
) -> list[str]:
    """Write generated files and both manifests; remove what an earlier run left.

    Args:
        folder: output folder, made if needed.
        files: name relative to the folder -> text.
        manifest: its ``files`` are those given here.
        dependencies: see `Dependencies`.

    Returns:
        Names of the files that were written because they changed.

    Raises:
        CodegenError: the folder can't be written.
    """
    earlier = read_manifest(folder)
    everything = {**files, JSON_NAME: _json_text(manifest)}
    everything[CMAKE_NAME] = _cmake_text(folder, manifest, dependencies)
    try:
        changed = [name for name, text in everything.items() if _write(folder / name, text)]
        for name in sorted(set(earlier.files if earlier else ()) - set(files)):
            path = _inside(folder, name)
            if path is not None:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise CodegenError(f"{folder}: cannot be written: {error}") from error
    return changed


def update_manifests(folder: Path, manifest: Manifest, dependencies: Dependencies) -> None:
    """Rewrite the manifests where they changed though the generated files did not.

    Raises:
        CodegenError: the folder can't be written.
    """
    try:
        _write(folder / JSON_NAME, _json_text(manifest))
        _write(folder / CMAKE_NAME, _cmake_text(folder, manifest, dependencies))
    except OSError as error:
        raise CodegenError(f"{folder}: cannot be written: {error}") from error


def digests(files: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each file's text."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}


def _inside(folder: Path, name: str) -> Path | None:
    """Return the path of a file of the folder; None for a name that leads out of it."""
    path = folder / name
    return path if path.resolve().is_relative_to(folder.resolve()) else None


def _write(path: Path, text: str) -> bool:
    content = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
    return True


def _json_text(manifest: Manifest) -> str:
    document = {"schema": SCHEMA, **vars(manifest)}
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _cmake_text(folder: Path, manifest: Manifest, dependencies: Dependencies) -> str:
    home = folder.resolve()
    sources = [str(home / name) for name in manifest.files if name.endswith(".cpp")]
    device = [source for source in sources if Path(source).parent == home / "device"]
    native = dependencies.native
    host = [source for source in sources if source not in device]
    lines = [
        "# Generated by hornbeam; do not edit.",
        _set("HORNBEAM_GENERATED_SOURCES", host),
        _set("HORNBEAM_GENERATED_DEVICE_SOURCES", device),
        _set("HORNBEAM_GENERATOR_INPUTS", [str(path) for path in dependencies.inputs]),
        _set("HORNBEAM_KERNEL_HEADERS", [str(path) for path in dependencies.kernel_headers]),
        f"set(HORNBEAM_TUNED_DIGEST {cmake_bracket(manifest.tuned_digest)})",
        _set("HORNBEAM_NATIVE_DEVICE", [native.name] if native else []),
        _set("HORNBEAM_NATIVE_DRIVER", [native.driver] if native else []),
    ]
    return "\n".join(lines) + "\n"


def _set(variable: str, values: Sequence[str]) -> str:
    """Return a ``set`` command for a list; a semicolon inside a value does not split it."""
    brackets = [cmake_bracket(value.replace(";", "\\;")) for value in values]
    return "\n  ".join([f"set({variable}", *brackets]) + ")"
