"""Documents: HTML that needs nothing else, from values; the look of all pages is here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from string import Template

from copeland.inert import inert
from copeland.report.figures import INK

_TEMPLATE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
:root { --ink: #24292f; --paper: #ffffff; --faint: #59636e; --rule: #d1d9e0; --wash: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #12161c; --faint: #9aa4af; --rule: #333b45; --wash: #1b2129; }
}
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .5rem 0; }
.lead { color: var(--faint); }
.notice { border-left: 4px solid #D55E00; padding: .25rem .75rem; background: var(--wash); }
.wide { overflow-x: auto; margin: 1rem 0; }
figure { margin: 1.5rem 0 0; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .55rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
thead th { color: var(--faint); font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 1rem 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; background: var(--wash); border: 1px solid var(--rule);
  border-radius: 6px; overflow-x: auto; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; } }
$style</style>
</head>
<body>
<h1>$title</h1>
$body
</body>
</html>
""")


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page of HTML parts, one below the other, under a title, with a style of its own."""
    body = "\n".join(part for part in parts if part)
    return inert(_TEMPLATE.substitute(title=escape(title), body=body, style=style))


def heading(text: str) -> str:
    """Return the heading of a section."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of text, ``lead`` or ``notice`` if it is of that kind."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def picture(svg: bytes, alt: str) -> str:
    """Return a figure in the colours of the page, with words for those who do not see it."""
    body = inline_svg(svg.decode())
    return f'<figure>\n<div role="img" aria-label="{escape(alt)}">\n{body}\n</div>\n</figure>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that scrolls by itself where the page is too narrow for it."""
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "\n".join(_row(row) for row in rows)
    return (
        f'<div class="wide" tabindex="0">\n<table>\n<thead><tr>{columns}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def facts(known: Mapping[str, str]) -> str:
    """Return a list of names and what they stand for."""
    pairs = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in known.items())
    return "<dl>\n" + "\n".join(pairs) + "\n</dl>"


def repeat(command: str) -> str:
    """Return the command that gives the same numbers again; nothing if there is none."""
    if not command:
        return ""
    return f'<p>The same numbers again:</p>\n<pre tabindex="0">{escape(command)}</pre>'


def inline_svg(svg: str) -> str:
    """Return a figure as part of a page: it takes the page's ink and names nothing outside."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r' xmlns(:\w+)?="[^"]*"', "", body).replace("xlink:href", "href")
    # The page itself is the paper: without the white background, and with its colour as ink.
    body = re.sub(r'<g id="patch_1">.*?</g>', "", body, count=1, flags=re.DOTALL)
    # Names of groups, to which nothing refers, would come again in the next figure of the page.
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    return body.replace(INK, "currentColor")


def _row(cells: Sequence[str]) -> str:
    name, *values = (escape(cell) for cell in cells)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{v}</td>" for v in values)}</tr>'
