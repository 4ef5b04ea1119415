"""Speed, measured side by side; and the big measurements."""
