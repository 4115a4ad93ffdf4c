# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device functions compiled to SPIR-V, in parallel and at most once.

A module is cached under a digest of all that can change it: the instantiation, the headers
and the compiler. A source holds many functions, since reading the SYCL headers costs as much as
compiling a dozen; a source that fails or takes too long is compiled again in halves, until only
the culprit is lost.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.process import Children, children
from hornbeam.bench.sources import (
    DeviceFunction,
    device_source,
    digest_of_files,
    headers_of,
)
from hornbeam.errors import BenchmarkError

PROCESSES = 2
SOURCE_TIMEOUT_S = 90.0

_MOST_FUNCTIONS = 16
_LEAST_FUNCTIONS = 4

_MESSAGE_LENGTH = 2000
_WORK_PREFIX = ".compile-"
_LEFTOVER_AGE_S = 3600.0


@dataclass(frozen=True)
class CompileJob:
    """How functions are compiled.

    Attributes:
        compiler: command of the device compiler.
        compiler_version: part of a module's identity.
        include_dir: of our headers.
        cache_dir: where modules are kept.
        variables: added to the compiler's environment.
        timeout_s: for one source.
    """

    compiler: tuple[str, ...]
    compiler_version: str
    include_dir: Path
    cache_dir: Path
    variables: tuple[tuple[str, str], ...] = ()
    timeout_s: float = SOURCE_TIMEOUT_S


@dataclass(frozen=True)
class CompiledModules:
    """Outcome of a compilation.

    Attributes:
        modules: function name -> SPIR-V file.
        failures: function name -> the compiler's message.
    """

    modules: dict[str, Path]
    failures: dict[str, str]


def compile_functions(
    functions: Iterable[DeviceFunction],
    job: CompileJob,
    deadline: Deadline,
    progress: Callable[[int, int], None] = lambda done, total: None,
    urgent: int = 0,
) -> CompiledModules:
    """Compile functions; those in the cache are not compiled again.

    Args:
        functions: to compile.
        job: how.
        deadline: after which compiling stops; what is missing then is neither among the
            modules nor among the failures.
        progress: called with the number of functions dealt with and of all.
        urgent: so many of the functions are compiled before the rest, with which nothing could
            be done without them.

    Raises:
        BenchmarkError: where the compiler can't be started or a header is missing or is
            edited meanwhile.
    """
    wanted = list(dict.fromkeys(functions))
    places = _places(wanted, job)
    result = CompiledModules({}, {})
    pending = []
    for function in wanted:
        if places[function].exists():
            result.modules[function.name] = places[function]
        else:
            pending.append(function)
    try:
        job.cache_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchmarkError(f"{job.cache_dir}: cannot be written: {error.strerror}") from error
    _remove_leftovers(job.cache_dir)
    with ThreadPoolExecutor(PROCESSES) as pool, children() as group:
        compiler = _Compiler(job, places, group, deadline)
        hurry = sum(function in wanted[:urgent] for function in pending)
        for part in pool.map(compiler.compile, _groups(pending, hurry)):
            result.modules.update(part.modules)
            result.failures.update(part.failures)
            progress(len(result.modules) + len(result.failures), len(wanted))
    if pending and _places(wanted, job) != places:
        for function in pending:
            places[function].unlink(missing_ok=True)
        raise BenchmarkError(f"{job.include_dir}: headers changed while they were compiled")
    return result


def source_sizes(functions: int, urgent: int = 0) -> list[int]:
    """Numbers of functions in the sources that functions are compiled as, in their order.

    They are nearly equal, and a multiple of the processes, so that none idles at the end.
    """
    if urgent:
        return source_sizes(urgent) + source_sizes(functions - urgent)
    count = PROCESSES * math.ceil(functions / (PROCESSES * _MOST_FUNCTIONS))
    if functions < PROCESSES * _LEAST_FUNCTIONS:
        count = min(functions, 1)
    bounds = [functions * number // count for number in range(count + 1)] if count else []
    return [end - start for start, end in itertools.pairwise(bounds)]


def _groups(functions: Sequence[DeviceFunction], urgent: int) -> list[list[DeviceFunction]]:
    """Functions by source."""
    left = iter(functions)
    return [list(itertools.islice(left, size)) for size in source_sizes(len(functions), urgent)]


def _places(functions: Sequence[DeviceFunction], job: CompileJob) -> dict[DeviceFunction, Path]:
    """Where the module of each function is cached."""
    digests: dict[str, str] = {}
    for header in {function.header for function in functions}:
        files = headers_of([header], job.include_dir)
        digests[header] = digest_of_files(files, job.include_dir)
    places = {}
    for function in functions:
        identity = (
            f"{device_source([function])}\n{digests[function.header]}\n{job.compiler_version}"
        )
        name = hashlib.sha256(identity.encode()).hexdigest()[:32]
        places[function] = job.cache_dir / f"{function.name}.{name}.spv"
    return places


def _remove_leftovers(cache_dir: Path) -> None:
    """Remove folders of compilations that were killed."""
    for folder in cache_dir.glob(f"{_WORK_PREFIX}*"):
        if time.time() - folder.stat().st_mtime > _LEFTOVER_AGE_S:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class _Compiler:
    """Compiles groups of functions, from several threads."""

    job: CompileJob
    places: dict[DeviceFunction, Path]
    group: Children
    deadline: Deadline

    def compile(self, functions: Sequence[DeviceFunction]) -> CompiledModules:
        """Compile functions as one source, else as halves of it."""
        try:
            message = self._compile_source(functions)
            if message is None:
                return CompiledModules({f.name: self.places[f] for f in functions}, {})
            if len(functions) == 1:
                return CompiledModules({}, {functions[0].name: message})
        except DeadlineError:
            return CompiledModules({}, {})
        except OSError as error:
            raise BenchmarkError(f"{self.job.cache_dir}: {error.strerror}") from error
        result = CompiledModules({}, {})
        middle = len(functions) // 2
        for half in (functions[:middle], functions[middle:]):
            part = self.compile(half)
            result.modules.update(part.modules)
            result.failures.update(part.failures)
        return result

    def _compile_source(self, functions: Sequence[DeviceFunction]) -> str | None:
        """Compile one source; returns what went wrong."""
        self.deadline.check()
        limit_s = min(self.job.timeout_s, self.deadline.remaining_s())
        with tempfile.TemporaryDirectory(prefix=_WORK_PREFIX, dir=self.job.cache_dir) as folder:
            source = Path(folder) / "source.cpp"
            source.write_text(device_source(functions), encoding="utf-8")
            command: list[str | Path] = [*self.job.compiler]
            command += ["--include", self.job.include_dir, "--spirv-dir", folder, source]
            result = self.group.run(command, limit_s, dict(self.job.variables))
            if result.status is None:
                self.deadline.check()
                return f"the device compiler was stopped after {self.job.timeout_s:.0f} s"
            if result.status != 0:
                log = result.output[-_MESSAGE_LENGTH:]
                return f"the device compiler failed (exit status {result.status}): {log}"
            return self._collect(functions, Path(folder))

    def _collect(self, functions: Sequence[DeviceFunction], folder: Path) -> str | None:
        """Move the modules to their places; returns what is missing."""
        for function in functions:
            module = folder / f"{function.name}.spv"
            if not module.is_file() or module.stat().st_size == 0:
                return f"the device compiler wrote no {module.name}"
        for function in functions:
            (folder / f"{function.name}.spv").replace(self.places[function])
        return None
