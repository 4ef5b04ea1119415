"""The chain over the events of a study, and votes that count in the place of an undone one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the two columns. Events from before have no link: the first one after them binds them all."""
    op.add_column("copeland_events", sa.Column("counts", sa.BigInteger))
    op.add_column("copeland_events", sa.Column("link", sa.LargeBinary))
