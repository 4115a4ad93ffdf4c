# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The borders between the modules of the tuning package, held by walking their imports."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.operations import DEFAULT_OPERATION, get_operation

PACKAGE = paths.root() / "tuning" / "hornbeam"

# Each layer may import itself and those above it.
LAYERS = (
    (
        *("types", "errors", "paths", "schemas", "strict_json"),
        *("digests", "version", "drivers", "library"),
    ),
    (
        *("space", "kernel_definition", "kernel_schema", "spread"),
        *("problems", "features", "stats", "operations"),
    ),
    (
        *("device", "doctor", "bench"),
        *("journal", "journal_rows", "plan", "plan_cost", "measure"),
    ),
    (
        *("dataset", "dataset_rows", "dataset_schema", "cells"),
        *("compaction", "interchange", "joining", "keeping", "published", "rebase", "store"),
    ),
    (
        *("normalise", "selection", "evidence", "tree", "classifier", "evaluate", "comparison"),
        "search",
    ),
    ("codegen", "report", "selector_file", "literals", "study"),
    ("pipeline",),
    ("cli", "__main__"),
)
# A helper of a module belongs to its layer: "codegen_text" stands beside "codegen".
RANK = {"__init__": 0} | {name: rank for rank, names in enumerate(LAYERS) for name in names}

ALLOWED = {
    "dask": set(),
    "distributed": {"measure"},
    "pyopencl": {"device"},
    "subprocess": {"bench"},
    "sklearn": {"selection", "classifier", "search", "study"},
    "scipy": {"selection", "search", "study"},
    "plotly": {"study"},
    "jinja2": {"codegen", "report", "study"},
    "ctypes": {"library"},
}
FORBIDDEN = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}

FILES = sorted(PACKAGE.rglob("*.py"))


def _module(path: Path) -> str:
    """First part of a module's name within the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _rank(module: str) -> int | None:
    """Layer of a module; a helper is named after the module it helps."""
    for name in (module, *(module.rsplit("_", i)[0] for i in range(1, module.count("_") + 1))):
        if name in RANK:
            return RANK[name]
    return None


def _family(module: str) -> set[str]:
    return {module, *(module.rsplit("_", i)[0] for i in range(1, module.count("_") + 1))}


def _imports(tree: ast.AST) -> Iterator[str]:
    """Full names of imported modules; names imported from the package itself as modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            assert node.module is not None
            if node.module == "hornbeam":
                yield from (f"hornbeam.{alias.name}" for alias in node.names)
            else:
                yield node.module


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _id(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_the_documented_layers_are_these() -> None:
    design = (PACKAGE.parents[1] / "docs/design.md").read_text(encoding="utf-8")
    (line,) = [line for line in design.splitlines() if line.startswith("types, errors")]
    documented = [layer.split(", ") for layer in line.removesuffix(".").split(" ← ")]
    assert [{*names} - {*layer} for names, layer in zip(documented, LAYERS, strict=True)] == [
        set()
    ] * len(LAYERS)
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages <= {name for names in documented for name in names}


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_modules_import_those_to_their_left_only(path: Path) -> None:
    module = _module(path)
    rank = _rank(module)
    assert rank is not None, f"{module} belongs to no layer; add it to LAYERS"
    for name in _imports(_parse(path)):
        parts = name.split(".")
        if parts[0] != "hornbeam" or len(parts) < 2 or parts[1] == "__version__":
            continue
        other = _rank(parts[1])
        assert other is not None, f"{name} belongs to no layer"
        assert other <= rank, f"{module} must not import {name}"


def test_importing_the_package_loads_nothing() -> None:
    """Not even numpy, and no SYCL runtime."""
    script = "import sys; import hornbeam; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    variables = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    loaded = {name for name in done.stdout.split() if name.startswith(("hornbeam", "numpy"))}
    assert loaded == {"hornbeam"}


def test_the_compiled_library_needs_numpy_alone() -> None:
    standard = {*sys.stdlib_module_names, "hornbeam", "numpy"}
    for path in FILES:
        if _module(path) in ("library", "drivers", "errors", "paths"):
            assert {name.split(".")[0] for name in _imports(_parse(path))} <= standard, path


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_heavy_libraries_stay_in_their_modules(path: Path) -> None:
    family = _family(_module(path))
    for name in _imports(_parse(path)):
        library = name.split(".")[0]
        assert library not in FORBIDDEN, f"{name}: nothing stored may be executed on load"
        if library in ALLOWED:
            assert family & ALLOWED[library], f"only {ALLOWED[library]} may import {library}"


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_nothing_is_evaluated(path: Path) -> None:
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN_CALLS


def test_everything_outside_an_operation_is_blind_to_it() -> None:
    for path in FILES:
        parts = path.relative_to(PACKAGE).parts
        if parts[0] == "operations" and len(parts) > 2:
            continue
        for name in _imports(_parse(path)):
            assert not name.startswith("hornbeam.operations."), f"{path}: {name}"


def test_operations_are_named_in_one_place() -> None:
    """Names of operations and of element types are values, not something to write code around."""
    operation = get_operation(DEFAULT_OPERATION)
    allowed = {
        # The other two are about the functions of the compiled library.
        DEFAULT_OPERATION: {"operations/__init__.py", "__init__.py", "library/native.py"},
        # device.py tells which types a device computes with, codegen.py names a filter.
        "float": {"operations/__init__.py", "device.py"},
        "double": {"operations/__init__.py", "device.py", "codegen.py"},
        "half": {"operations/__init__.py", "device.py"},
    }
    assert set(allowed) == {operation.name, *operation.data_types}
    for path in FILES:
        place = str(path.relative_to(PACKAGE))
        if place.startswith("operations/") and place != "operations/__init__.py":
            continue
        for node in ast.walk(_parse(path)):
            if isinstance(node, ast.Constant) and node.value in allowed:
                assert place in allowed[node.value], f"{path}:{node.lineno} knows {node.value!r}"


def test_operations_do_not_know_each_other() -> None:
    for folder in (PACKAGE / "operations").iterdir():
        for path in folder.rglob("*.py") if folder.is_dir() else []:
            for name in _imports(_parse(path)):
                if name.startswith("hornbeam.operations."):
                    assert name.split(".")[2] == folder.name


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 420
