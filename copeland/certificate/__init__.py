"""What votes prove: certificates of votes that are draws, and of panels, whose voters are the whole electorate.

Nothing about a panel is random, so nothing said of it is wrong with any probability; docs/notes/panels.md has the proofs.
"""

from copeland.certificate.certificate import Certificate, certify
from copeland.certificate.cluster_evidence import ClusterVotes, cluster_votes
from copeland.certificate.panel_certificate import PanelCertificate, panel_certificate
from copeland.certificate.panel_planner import next_question

__all__ = [
    "Certificate",
    "ClusterVotes",
    "PanelCertificate",
    "certify",
    "cluster_votes",
    "next_question",
    "panel_certificate",
]
