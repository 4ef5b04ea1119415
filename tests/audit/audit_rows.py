"""Rows of votes with a column for people and one for a judge."""


def rows_of(*told, left="a", right="b"):
    """(people, judge, times) as rows, each a question of its own."""
    spread = [(people, judge) for people, judge, times in told for _ in range(times)]
    return [
        {"item": f"{left}{right}{i}", "left": left, "right": right, "people": people, "gpt": judge}
        for i, (people, judge) in enumerate(spread)
    ]


def long_rows(rows, *voters):
    """The same votes with a voter in each row."""
    about = ("item", "left", "right")
    return [
        {name: row[name] for name in about} | {"voter": voter, "outcome": row[voter]}
        for row in rows
        for voter in voters
    ]
