"""Checks that any algorithm must pass; public, so that algorithms of others can be held to them."""

from copeland.testing.algorithm_checks import CHECKS, check_algorithm

__all__ = ["CHECKS", "check_algorithm"]
