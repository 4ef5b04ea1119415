"""Studies, their events, and snapshots."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the three tables."""
    op.create_table(
        "copeland_studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "copeland_events",
        sa.Column("study", sa.Integer, sa.ForeignKey("copeland_studies.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("time", sa.Float(53), nullable=False),
        sa.Column("event_id", sa.Text),
        sa.Column("ballot", sa.BigInteger),
        sa.Column("voter", sa.Text),
        sa.Column("left", sa.Integer),
        sa.Column("right", sa.Integer),
        sa.Column("outcome", sa.Text),
        sa.Column("item", sa.Text),
        sa.Column("source", sa.Text),
        sa.Column("repeats", sa.BigInteger),
        sa.Column("undoes", sa.BigInteger),
        sa.Column("body", sa.JSON(none_as_null=True)),
        sqlite_with_rowid=False,
    )
    _partial_index("copeland_once", ["event_id"], "event_id IS NOT NULL", unique=True)
    _partial_index("copeland_answers", ["ballot"], "ballot IS NOT NULL")
    _partial_index(
        "copeland_voters",
        ["voter", "left", "right"],
        "voter IS NOT NULL AND outcome IS NOT NULL",
    )
    op.create_table(
        "copeland_snapshots",
        sa.Column("study", sa.Integer, sa.ForeignKey("copeland_studies.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _partial_index(name: str, columns: list[str], where: str, unique: bool = False) -> None:
    op.create_index(
        name,
        "copeland_events",
        ["study", *columns],
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
