"""The link that a voter's cookie names is found at once."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the index; without it every answer of a voter reads all links of the server."""
    op.create_index("copeland_nonces", "copeland_links", ["nonce"])
