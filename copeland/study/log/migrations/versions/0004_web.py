"""What the web application keeps beside the logs: pages, what they show, links, keys and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "copeland_server",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "copeland_pages",
        sa.Column("study", sa.Integer, _study(), primary_key=True),
        sa.Column("slug", sa.Text, nullable=False, unique=True),
        sa.Column("body", sa.JSON, nullable=False),
    )
    op.create_table(
        "copeland_media",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
    )
    op.create_table(
        "copeland_panes",
        sa.Column("study", sa.Integer, _study(), primary_key=True),
        sa.Column("option", sa.Text, primary_key=True),
        sa.Column("media", sa.Text, sa.ForeignKey("copeland_media.digest"), nullable=False),
        sa.Column("alt", sa.Text, nullable=False),
    )
    op.create_table(
        "copeland_outputs",
        sa.Column("study", sa.Integer, _study(), primary_key=True),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("option", sa.Text, primary_key=True),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "copeland_links",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.Integer, _study(), nullable=False),
        sa.Column("nonce", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("voter", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("expires", sa.Float(53)),
        sa.Column("revoked", sa.Boolean, nullable=False),
    )
    op.create_table(
        "copeland_keys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.Integer, _study()),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("client", sa.Text, nullable=False, unique=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("revoked", sa.Boolean, nullable=False),
    )
    op.create_table(
        "copeland_sessions",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("expires", sa.Float(53), nullable=False),
    )
    op.create_table(
        "copeland_checks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.Integer, _study(), nullable=False),
        sa.Column("voter", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("time", sa.Float(53), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
    )
    op.create_index("copeland_checked", "copeland_checks", ["study", "voter"])


def _study() -> sa.ForeignKey:
    return sa.ForeignKey("copeland_studies.id")
