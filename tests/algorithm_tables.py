"""What the docs say of every algorithm, from its record: a row of the table, and a section to begin with."""

import re

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


def page_with_sections(text, algorithms):
    """The page of algorithms; one that lacks gets a section at the end: its summary and parameters."""
    for name, algorithm in algorithms.items():
        if f"## {name}\n" not in text:
            params = [f"- `{key}` ({shown(value)})" for key, value in algorithm.parameters.items()]
            section = [f"## {name}", "", f"{algorithm.summary}.", "", *params]
            text = "\n".join([text.rstrip(), "", *section]).rstrip() + "\n"
    return text


def finds(algorithm):
    target = TARGETS.get(algorithm.target, algorithm.target)
    said = [target + (", assumed to exist" if algorithm.assumes_condorcet else "")]
    said += ["needs the horizon"] if algorithm.needs_horizon else []
    said += ["stops by itself"] if algorithm.stops else []
    return "; ".join(said)


def shown(default):
    return default if isinstance(default, str | bool) else f"{default:g}"
