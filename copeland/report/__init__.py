"""Numbers to figures, tables and pages."""
