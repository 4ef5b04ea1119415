"""Is a judge fit to decide: its verdicts beside votes of people on the same cases."""

from copeland.audit.judge_audit import JudgeAudit, audit_judges
from copeland.audit.judge_report import JudgeReport

__all__ = ["JudgeAudit", "JudgeReport", "audit_judges"]
