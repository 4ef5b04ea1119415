"""Judges that vote by themselves: functions, programs, language models."""

from copeland.study.judges.call import Budget, BudgetSpent, JudgeOverloaded
from copeland.study.judges.chat import ChatJudge, Prices
from copeland.study.judges.command import CommandJudge
from copeland.study.judges.parse import JudgeFailed, Reasoned
from copeland.study.judges.prompts import Candidate, Item, read_items
from copeland.study.judges.run import Judged, Summary, judge_study, sleep_until
from copeland.study.results.agreement import JudgeAgreement, PairOfJudges, agreement

__all__ = [
    "Budget",
    "BudgetSpent",
    "Candidate",
    "ChatJudge",
    "CommandJudge",
    "Item",
    "JudgeAgreement",
    "JudgeFailed",
    "JudgeOverloaded",
    "Judged",
    "PairOfJudges",
    "Prices",
    "Reasoned",
    "Summary",
    "agreement",
    "judge_study",
    "read_items",
    "sleep_until",
]
