"""What somebody reads of a verdict: a drawing of its evidence, a table, a page."""

from __future__ import annotations

from graders.feedback.drawing import evidence_svg
from graders.feedback.gathered import Finding, findings
from graders.feedback.page import feedback_page
from graders.feedback.result import notebook_result
from graders.feedback.text import evidence_text, report_text

__all__ = [
    "Finding",
    "evidence_svg",
    "evidence_text",
    "feedback_page",
    "findings",
    "notebook_result",
    "report_text",
]
