"""The link of a voter is found by an index, however many links there are: it is looked for at every answer."""

import pytest
import sqlalchemy as sa

LOOKUPS = {
    "a cookie's link": lambda site, link: site.server.store.link_by_nonce(link.nonce),
    "a cookie's link and page": lambda site, link: site.server.store.arrival(
        site.page().slug, link.nonce
    ),
    "a link that is opened": lambda site, link: site.server.store.link(
        site.server.signer.link(link.nonce)
    ),
}


def plan_of(site, look):
    """Return how SQLite goes about the links in some look."""
    made = []

    def note(_connection, _cursor, statement, values, _context, _many):
        made.append((statement, values))

    engine = site.storage._engine
    sa.event.listen(engine, "before_cursor_execute", note)
    assert look()
    sa.event.remove(engine, "before_cursor_execute", note)
    queries = [(text, values) for text, values in made if "copeland_links" in text]

    def explain(connection):
        plans = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {q}", v) for q, v in queries]
        return [row[3] for plan in plans for row in plan if "copeland_links" in row[3]]

    return site.storage.transact(explain, reads=True)


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_link_is_found_without_reading_the_others(site, name):
    site.study()
    site.link()
    (link,) = site.server.store.links(site.page().study)
    steps = plan_of(site, lambda: LOOKUPS[name](site, link))
    assert steps and all(step.startswith("SEARCH") and "study=?" not in step for step in steps)
