"""May a change go out? Two sets of answers to the same test cases, a judge, and one decision that may be looked at at any time."""

from copeland.gate.gate_result import GateResult, JudgeResult
from copeland.gate.gate_run import run_gate

__all__ = ["GateResult", "JudgeResult", "run_gate"]
