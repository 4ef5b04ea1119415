"""The kinds of study: fixed options, a panel of named voters, a space of points."""
