"""What is kept of a study: the log in a database, and what it says so far."""
