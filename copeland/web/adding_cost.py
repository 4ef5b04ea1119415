"""What one more option costs: which proofs begin anew, and which votes stay."""

from __future__ import annotations

from copeland.study import Study
from copeland.study.log.state import StudyState


def describe_cost(study: Study) -> list[str]:
    """Return what to say before an option is added, in sentences.

    Examples
    --------
    >>> from copeland import create_study
    >>> study = create_study("tea", ["green", "black"], voters="independent")
    >>> describe_cost(study)
    ['There are no votes yet, so nothing begins anew.']
    >>> _ = study.tell(study.ask(), "left")
    >>> describe_cost(study)[0]
    'The comparisons of the new option with the 2 others begin without votes.'
    """
    votes, begins_epoch, others = study.look_at_state(_read)
    if not votes:
        return ["There are no votes yet, so nothing begins anew."]
    is_decided = study.standing(voters=False).certificate.decided
    begins = _say_what_begins(study, others)
    opens = "The study is decided now. With the new option it is open again, until these comparisons are made."
    old = "Certificates from before still hold for the options of that time."
    return [begins, *([opens] if is_decided else []), _say_what_stays(study, begins_epoch), old]


def _read(state: StudyState) -> tuple[int, bool, int]:
    return state.votes, state.voted_in_epoch, len(state.options_left)


def _say_what_begins(study: Study, others: int) -> str:
    if study.settings.panel:
        return f"Each member is asked about the new option: up to {others} more questions."
    begins = f"The comparisons of the new option with the {others} others begin without votes."
    if study.settings.people:
        begins += " Only people who start after you add it count on these."
    return begins


def _say_what_stays(study: Study, begins_epoch: bool) -> str:
    if study.settings.panel:
        return "All answers so far stay."
    stays = "All votes so far keep counting."
    if begins_epoch:
        stays += (
            " But a new epoch begins: every proof needs a little more evidence from then on, because all epochs "
            "share the probability of error. So what is only just proved may need a few more votes."
        )
    return stays
