"""What a voter was asked is found at once."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the index; a voter's questions have no outcome, and answers have."""
    asked = sa.text("voter IS NOT NULL AND outcome IS NULL")
    op.create_index(
        "copeland_asked",
        "copeland_events",
        ["study", "voter", "number"],
        sqlite_where=asked,
        postgresql_where=asked,
    )
