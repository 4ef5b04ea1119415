"""Panels: named voters who are the whole electorate. What is settled, and what to ask next.

Nothing is random here, so nothing is wrong with any probability; docs/panels.md has the proofs.
"""

from __future__ import annotations

from copeland.panel.certificate import PanelCertificate, panel_certificate
from copeland.panel.planner import next_question

__all__ = ["PanelCertificate", "next_question", "panel_certificate"]
