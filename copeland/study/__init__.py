"""Live studies: every vote kept, a certificate at the end."""

from copeland.study.conduct.asking import Answered, Ballot, Following, Look
from copeland.study.conduct.creation import (
    create_study,
    create_study_from_votes,
    list_studies,
    open_study,
)
from copeland.study.conduct.decisions import Wait
from copeland.study.conduct.study import Study
from copeland.study.meaning.filing import certificate_to_file, objections, read_certificate
from copeland.study.meaning.standing import Position, Standing, Voter
from copeland.study.meaning.verdict import Verdict
from copeland.study.record.events import OUTCOMES, Event
from copeland.study.record.options import Option, read_options
from copeland.study.record.settings import Settings
from copeland.study.record.storage import Storage
from copeland.study.record.votes import Vote

__all__ = [
    "OUTCOMES",
    "Answered",
    "Ballot",
    "Event",
    "Following",
    "Look",
    "Option",
    "Position",
    "Settings",
    "Standing",
    "Storage",
    "Study",
    "Verdict",
    "Vote",
    "Voter",
    "Wait",
    "certificate_to_file",
    "create_study",
    "create_study_from_votes",
    "list_studies",
    "objections",
    "open_study",
    "read_certificate",
    "read_options",
]
