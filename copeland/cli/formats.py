"""copeland formats: the files of votes and of answers that are read and written."""

from __future__ import annotations

from copeland.cli.arguments import Json
from copeland.cli.output import print_json, print_line, warnings_as_notes
from copeland.cli.program import app


@app.command("formats", epilog="Example: `copeland formats`")
def formats_command(as_json: Json = False) -> None:
    """List the formats of files besides plain tables: what each holds, and whether it is read, written or both."""
    from copeland.formats import formats

    with warnings_as_notes():
        known = formats().values()
    rows = [
        {
            "name": one.name,
            "summary": one.summary,
            "holds": one.holds,
            "read": one.is_read,
            "written": one.write is not None,
            "columns": list(one.columns),
            "keys": list(one.keys),
            "suffixes": list(one.suffixes),
        }
        for one in known
    ]
    if as_json:
        print_json(rows)
        return
    width = max(len(one.name) for one in known)
    for one in known:
        uses = [word for word, does in (("read", one.is_read), ("written", one.write)) if does]
        print_line(f"{one.name:{width}}  {one.holds:7}  {' and '.join(uses):16}  {one.summary}")
