"""The tables that the web application keeps beside the logs; votes are in the logs alone."""

from __future__ import annotations

import sqlalchemy as sa

from copeland.study.log.event_log import metadata, studies

server = sa.Table(  # what all processes of a server share
    "copeland_server",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

pages = sa.Table(  # a study's voting page: its address, and what it says
    "copeland_pages",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("slug", sa.Text, nullable=False, unique=True),
    sa.Column("body", sa.JSON, nullable=False),
)

media = sa.Table(  # images, by the digest of their content
    "copeland_media",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
)

panes = sa.Table(  # the image that is shown for an option
    "copeland_panes",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("option", sa.Text, primary_key=True),
    sa.Column("media", sa.Text, sa.ForeignKey(media.c.digest), nullable=False),
    sa.Column("alt", sa.Text, nullable=False),
)

outputs = (
    sa.Table(  # what is shown for an option on an item, where options differ from item to item
        "copeland_outputs",
        metadata,
        sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
        sa.Column("digest", sa.Text, primary_key=True),  # of the item, which may be long
        sa.Column("option", sa.Text, primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
)

links = sa.Table(  # by which people come to vote; only here stands who they are
    "copeland_links",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), nullable=False),
    sa.Column("nonce", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("voter", sa.Text),  # whose link it is; None: everybody's
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created", sa.Float(53), nullable=False),
    sa.Column("expires", sa.Float(53)),
    sa.Column("revoked", sa.Boolean, nullable=False),
)

keys = sa.Table(  # by which programs come
    "copeland_keys",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id)),  # None: all studies
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("client", sa.Text, nullable=False, unique=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("created", sa.Float(53), nullable=False),
    sa.Column("revoked", sa.Boolean, nullable=False),
)

sessions = sa.Table(  # of admins
    "copeland_sessions",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("expires", sa.Float(53), nullable=False),
)

checks = sa.Table(  # answers that test a voter, and are no votes
    "copeland_checks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), nullable=False),
    sa.Column("voter", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Float(53), nullable=False),
    sa.Column("body", sa.JSON, nullable=False),
)
sa.Index("copeland_checked", checks.c.study, checks.c.voter)
