"""A study as a page and as tables: what was read from its votes goes in, HTML and figures come out."""
