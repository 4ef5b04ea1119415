"""`copeland serve`: voting pages, a dashboard, admin pages and an HTTP API over live studies."""
