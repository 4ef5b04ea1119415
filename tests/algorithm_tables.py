"""What the docs say of every algorithm, from its record: a row of the table, a head in its section."""

import re

HEADS = re.compile(r"<!-- record -->\n.*?<!-- end of record -->\n\n?", flags=re.DOTALL)
TABLE = re.compile(r"(?<=<!-- algorithms -->\n).*?(?=<!-- end of algorithms -->)", flags=re.DOTALL)

TARGETS = {
    "copeland": "Copeland winner",
    "condorcet": "Condorcet winner",
    "borda": "Borda winner",
    "von neumann": "von Neumann winner",
    "random walk": "random-walk winner",
    "several": "several options",
}


def page_with_table(text, algorithms):
    """The page of algorithms with the rows of its table written anew."""
    rows = ["| name | looks for | what it does | paper |", "|---|---|---|---|"]
    rows += [
        f"| [`{one.name}`](#{one.name}) | {finds(one)} | {one.summary} | {one.paper} |"
        for one in algorithms.values()
    ]
    return TABLE.sub(lambda _: "\n".join(rows) + "\n", text)


def page_with_heads(text, algorithms):
    """The page of algorithms with a head in each section; one that lacks gets a section at the end."""
    text = HEADS.sub("", text)
    for name, algorithm in algorithms.items():
        title = f"## {name}\n"
        if title not in text:
            text = f"{text.rstrip()}\n\n{title}\n"
        text = text.replace(f"{title}\n", f"{title}\n{head(algorithm)}\n", 1)
    return text.rstrip() + "\n"


def head(algorithm):
    """What the record says, as the lines of a section's head."""
    params = ", ".join(f"`{name}` ({shown(value)})" for name, value in algorithm.parameters.items())
    said = [
        f"{algorithm.summary}.",
        f"Looks for: {finds(algorithm)}.",
        f"Paper: {algorithm.paper}.",
    ]
    said += [f"Parameters: {params}."] if params else []
    return "\n".join(
        ["<!-- record -->", *(f"> {line}  " for line in said), "<!-- end of record -->", ""]
    )


def finds(algorithm):
    target = TARGETS.get(algorithm.target, algorithm.target)
    said = [target + (", assumed to exist" if algorithm.assumes_condorcet else "")]
    said += ["needs the horizon"] if algorithm.needs_horizon else []
    said += ["stops by itself"] if algorithm.stops else []
    return "; ".join(said)


def shown(default):
    return default if isinstance(default, str | bool) else f"{default:g}"
