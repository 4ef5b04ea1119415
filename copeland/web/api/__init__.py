"""The HTTP API: ask and tell, results, the log, and what an admin does, for programs."""
