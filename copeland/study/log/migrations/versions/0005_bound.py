"""The last event of every log has a link, so that links can be missing only before the first one."""

import sqlalchemy as sa
from alembic import op

from copeland.study.log.event_log import Log

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Bind logs that an older version wrote, and to which nothing was added since."""
    connection = op.get_bind()
    for (study,) in connection.execute(sa.text("SELECT id FROM copeland_studies")).all():
        Log(connection, study).bind()
