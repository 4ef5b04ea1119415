"""The old place of :func:`is_judged`, for web/ until it takes :attr:`Analysis.badge`."""

from copeland.study.results.voter_reach import is_judged as is_judged
