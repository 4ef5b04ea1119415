"""Checks that any algorithm must pass; public, so that algorithms of others can be held to them."""
