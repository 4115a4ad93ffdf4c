# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The journal of a tuning run: append-only JSON lines, of which any prefix is valid.

A row is written by one ``write`` call, so killing the process at any moment loses at most
the row being written; the torn line it may leave is skipped when the journal is read.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hornbeam.errors import BenchmarkError, DatasetError
from hornbeam.journal_rows import Row, Source, format_row, parse_row
from hornbeam.types import Problem

Done = set[tuple[str, Problem, str, int]]
"""(data type, problem, configuration id, round) of what need not be measured again."""


@dataclass(frozen=True)
class JournalContent:
    """Rows of a journal file.

    Attributes:
        rows: the intact ones, in the order they were written.
        skipped: number of torn, edited or foreign lines.
    """

    rows: tuple[Row, ...]
    skipped: int


class Journal:
    """A journal open for writing, locked against other writers."""

    def __init__(self, descriptor: int, content: JournalContent) -> None:
        """Take over an open and locked file; use `open_journal`."""
        self._descriptor = descriptor
        self._rows = list(content.rows)
        self.skipped = content.skipped

    @property
    def rows(self) -> tuple[Row, ...]:
        """All intact rows, those appended here too."""
        return tuple(self._rows)

    def append(self, row: Row) -> None:
        """Write a row.

        Raises:
            BenchmarkError: where the file can't be written (disk full).
        """
        line = (format_row(row) + "\n").encode("ascii")
        try:
            written = os.write(self._descriptor, line)
        except OSError as error:
            raise BenchmarkError(f"the journal cannot be written: {error.strerror}") from error
        if written != len(line):
            raise BenchmarkError("the journal cannot be written: the disk is full")
        self._rows.append(row)

    def done(self, source: Source) -> Done:
        """What was measured from a source; see `done`."""
        return done(self._rows, source)


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """Open a journal for appending; it and its folder are made where missing.

    Raises:
        BenchmarkError: where another process writes to it, or it can't be opened.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BenchmarkError(
                f"{path}: another tuning run writes to this journal; wait for it or stop it"
            ) from error
        except OSError as error:
            raise BenchmarkError(
                f"{path}: cannot be locked against other tuning runs: {error.strerror}; name a "
                "folder on a local disk with --journal-dir"
            ) from error
        try:
            _end_last_line(descriptor)
        except OSError as error:
            raise BenchmarkError(f"{path}: cannot be written: {error.strerror}") from error
        yield Journal(descriptor, read_journal(path))
    finally:
        os.close(descriptor)


def read_journal(path: Path) -> JournalContent:
    """Read a journal, leaving out damaged lines.

    Raises:
        DatasetError: where the file can't be read.
    """
    try:
        text = path.read_bytes().decode("ascii", errors="replace")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    rows = []
    skipped = 0
    for line in text.split("\n"):
        if not line:
            continue
        try:
            rows.append(parse_row(line))
        except DatasetError:
            skipped += 1
    return JournalContent(tuple(rows), skipped)


def done(rows: Iterable[Row], source: Source) -> Done:
    """(data type, problem, configuration id, round) of the rows measured from a source."""
    return {
        (row.data_type, row.problem, row.configuration, row.round)
        for row in rows
        if row.source == source
    }


def _end_last_line(descriptor: int) -> None:
    """Put an end to a torn last line, so that the next row starts on a line of its own."""
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")
