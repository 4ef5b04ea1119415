"""The package's version, in one place."""

__version__ = "0.4.0"
