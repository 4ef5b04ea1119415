"""Votes as a Parquet file, in the columns that a study exports to CSV."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from copeland.errors import need
from copeland.formats import Format, Record, register_format
from copeland.support.row_files import PARQUET

_TEXTS = ("event_id", "voter", "left", "right", "outcome", "item", "source")


def write(votes: Sequence[Record], texts: Mapping[str, str], path: Path) -> bytes:
    """Return the content of a Parquet file (extra: arrow)."""
    arrow = need("pyarrow", "arrow", "a Parquet file")
    parquet = need("pyarrow.parquet", "arrow", "a Parquet file")
    fields = [
        *((name, arrow.string()) for name in _TEXTS),
        ("ballot", arrow.int64()),
        ("time", arrow.timestamp("us", tz="UTC")),
        ("undone", arrow.bool_()),
        ("counted", arrow.bool_()),
    ]
    if any(vote["times"] > 1 for vote in votes):  # else they would seem to be counts
        fields.append(("times", arrow.int64()))
    rows = [{**vote, "time": datetime.fromtimestamp(vote["time"], UTC)} for vote in votes]
    file = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, arrow.schema(fields)), file)
    return file.getvalue()


register_format(
    Format(
        name="parquet",
        summary="A Parquet file with the columns of a table of votes (extra: arrow).",
        suffixes=PARQUET,
        write=write,
    )
)
