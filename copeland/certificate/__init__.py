"""What votes prove: certificates of votes that are draws, and of panels, whose voters are the whole electorate.

Nothing about a panel is random, so nothing said of it is wrong with any probability; docs/notes/panels.md has the proofs.
"""

from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.panel_certificate import PanelCertificate, panel_certificate
from copeland.certificate.panel_planner import next_question

__all__ = [
    "Certificate",
    "PanelCertificate",
    "certify",
    "next_question",
    "panel_certificate",
]
