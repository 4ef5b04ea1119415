"""What `copeland.study` offers: live studies, every vote kept, a certificate at the end."""

from copeland.study.ballots import Answered, Following, Look
from copeland.study.creation import (
    copy_study,
    create_study,
    create_study_from_votes,
    delete_study,
    list_studies,
    open_study,
)
from copeland.study.kinds.kind import Wait
from copeland.study.log.events import OUTCOMES, Event
from copeland.study.log.state import Ballot, Vote
from copeland.study.log.storage import Storage
from copeland.study.options import Option, read_options
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    read_certificate,
)
from copeland.study.results.standing import Standing, Voter
from copeland.study.results.verdict import Verdict
from copeland.study.settings import Settings
from copeland.study.study import Study
from copeland.support.judge_statistics import Position

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
    "copy_study",
    "create_study",
    "create_study_from_votes",
    "delete_study",
    "list_studies",
    "objections",
    "open_study",
    "read_certificate",
    "read_options",
]
