"""Live studies: every vote kept, a certificate at the end."""

from copeland.study.creation import create_study, list_studies, open_study
from copeland.study.decisions import Wait
from copeland.study.events import OUTCOMES, Event
from copeland.study.options import Option, read_options
from copeland.study.settings import Settings
from copeland.study.standing import Position, Standing, Voter
from copeland.study.storage import Storage
from copeland.study.study import Ballot, Study
from copeland.study.votes import Vote

__all__ = [
    "OUTCOMES",
    "Ballot",
    "Event",
    "Option",
    "Position",
    "Settings",
    "Standing",
    "Storage",
    "Study",
    "Vote",
    "Voter",
    "Wait",
    "create_study",
    "list_studies",
    "open_study",
    "read_options",
]
