"""Texts as voters see them: plain, Markdown or code; nothing in them acts, and nothing is fetched."""

from __future__ import annotations

from functools import lru_cache
from html import escape

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from copeland.support.escaping import inert

LONGEST = 100_000  # characters of a text that is shown
CACHED = 2_000  # texts
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote"),
    *("h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a"),
    "span",
}
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "span": {"class"}}
SCHEMES = {"http", "https", "mailto"}


@lru_cache(CACHED)
def shown_text(kind: str, text: str, language: str = "") -> Markup:
    """Return a text as HTML.

    Examples
    --------
    >>> print(shown_text("markdown", "# Tea <script>x</script>"))
    <h3>Tea &lt;script&gt;x&lt;/script&gt;</h3>
    """
    text = inert(text)[:LONGEST]
    if kind == "markdown":
        return Markup(_markdown(text))
    if kind == "code":
        return Markup(_code(text, language))
    return Markup(f'<div class="plain">{escape(text)}</div>')


def _markdown(text: str) -> str:
    """Markdown without HTML, cleaned once more; its headings come below those of the page."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=TAGS,
        attributes={name: set(known) for name, known in ATTRIBUTES.items()},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    ).strip()


def _code(text: str, language: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import TextLexer, get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False) if language else TextLexer(stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    return highlight(text, lexer, HtmlFormatter(cssclass="code", wrapcode=True))


def names_in(texts: dict[str, str], names: list[str]) -> list[str]:
    """Return the options whose own name, or another's, voters could read in a text.

    Examples
    --------
    >>> names_in({"gpt": "As GPT, I say: tea.", "b": "Coffee."}, ["gpt", "b"])
    ['gpt']
    """
    words = [name.lower() for name in names if len(name.strip()) > 2]
    return [option for option, text in texts.items() if any(word in text.lower() for word in words)]
