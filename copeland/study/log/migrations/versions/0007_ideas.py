"""A table for the options that voters suggest."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add it, and the index by which the ideas of one study are found."""
    op.create_table(
        "copeland_ideas",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.Integer, sa.ForeignKey("copeland_studies.id"), nullable=False),
        sa.Column("voter", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("time", sa.Float(53), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("option", sa.Text),
    )
    op.create_index("copeland_suggested", "copeland_ideas", ["study", "voter"])
