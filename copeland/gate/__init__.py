"""May a change go out? Two sets of answers to the same test cases, a judge, and one decision that may be looked at at any time."""
