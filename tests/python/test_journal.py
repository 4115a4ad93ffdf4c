# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The journal: append-only, any prefix valid, one writer at a time."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.errors import BenchmarkError, DatasetError
from hornbeam.journal import done, open_journal, read_journal
from hornbeam.journal_rows import format_row, parse_row
from hornbeam.types import Status
from tuning_helpers import IDS, PROBLEMS, SOURCE, row


def _equal(a: object, b: object) -> bool:
    """Equality of rows in which NaN equals NaN."""
    return repr(a) == repr(b)


@given(
    time_s=st.floats(min_value=1e-9, max_value=1e3),
    message=st.text(max_size=200),
    round_=st.integers(min_value=0, max_value=9),
)
def test_rows_survive_a_round_trip(time_s: float, message: str, round_: int) -> None:
    before = replace(row(time_s=time_s, round_=round_), message=message)
    text = format_row(before)
    assert "\n" not in text
    assert _equal(parse_row(text), before)


def test_a_failed_row_has_no_time() -> None:
    failed = parse_row(format_row(row(status=Status.TIMEOUT)))
    assert failed.status is Status.TIMEOUT
    assert math.isnan(failed.median_s)


def _resigned(**changes: object) -> str:
    """A row with changed fields and a matching checksum."""
    import zlib

    document = {**json.loads(format_row(row())), **changes}
    del document["checksum"]
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    document["checksum"] = f"{zlib.crc32(text.encode()):08x}"
    return json.dumps(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": "hornbeam-journal/2"},
        {"median_s": -1},
        {"median_s": None},
        {"median_s": math.nan},
        {"median_s": "1"},
        {"status": "fine"},
        {"problem": [1, -2]},
        {"problem": "1,2"},
        {"round": True},
        {"samples": 1 << 63},
        {"configuration": 'x"; system("id")'},
        {"device_key": "../.."},
        {"single_launch": 1},
        {"load": math.inf},
    ],
)
def test_nonsense_is_refused_even_with_a_right_checksum(changes: dict[str, object]) -> None:
    assert parse_row(_resigned())
    with pytest.raises(DatasetError):
        parse_row(_resigned(**changes))


def test_an_edited_row_is_refused() -> None:
    text = format_row(row(time_s=0.125))
    with pytest.raises(DatasetError, match="checksum"):
        parse_row(text.replace("0.125", "0.001"))


def test_any_prefix_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with open_journal(path) as journal:
        for round_ in range(3):
            journal.append(row(round_=round_))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        content = read_journal(path)
        torn = length > 0 and whole[length - 1 : length] != b"\n"
        ends = whole[:length].count(b"\n")
        assert len(content.rows) in (ends, ends + 1 if torn else ends)
        assert content.skipped <= torn


def test_a_torn_line_does_not_spoil_the_next_row(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with open_journal(path) as journal:
        journal.append(row(round_=0))
        journal.append(row(round_=1))
    path.write_bytes(path.read_bytes()[:-30])
    with open_journal(path) as journal:
        assert (len(journal.rows), journal.skipped) == (1, 1)
        journal.append(row(round_=1))
    content = read_journal(path)
    assert [r.round for r in content.rows] == [0, 1]
    assert content.skipped == 1


def test_damaged_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    good = format_row(row())
    path.write_bytes(b"\n".join([b"\xff\xfe\x00", good.encode(), b"{}", b"[" * 9999, b"null", b""]))
    content = read_journal(path)
    assert (len(content.rows), content.skipped) == (1, 4)


def test_two_writers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    with (
        open_journal(path),
        pytest.raises(BenchmarkError, match="another tuning run"),
        open_journal(path),
    ):
        pass
    with open_journal(path) as journal:
        assert journal.rows == ()


def test_unusable_paths(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="cannot be opened"), open_journal(tmp_path):
        pass
    with pytest.raises(DatasetError, match="cannot be read"):
        read_journal(tmp_path / "none")


def test_a_full_disk_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with open_journal(tmp_path / "journal.jsonl") as journal:
        for write, message in ((fails, "No space left"), (lambda *_: 10, "the disk is full")):
            monkeypatch.setattr("hornbeam.journal.os.write", write)
            with pytest.raises(BenchmarkError, match=message):
                journal.append(row())
        monkeypatch.undo()


def test_done_tells_sources_apart() -> None:
    other = replace(SOURCE, driver="driver 2")
    rows = [row(round_=0), row(round_=1, source=other)]
    assert done(rows, SOURCE) == {("float", PROBLEMS[0], IDS[0], 0)}
    assert done(rows, other) == {("float", PROBLEMS[0], IDS[0], 1)}
