"""How the tables came to be, one step a file; alembic walks them."""
