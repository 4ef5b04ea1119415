"""What alembic runs: the steps still to do, inside the transaction of the connection it was handed."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
