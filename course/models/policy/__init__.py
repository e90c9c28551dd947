"""The policy: a rule-based stand-in for a language model that reads the request it gets."""

from __future__ import annotations

from course.models.policy.respond import options, respond

__all__ = ["options", "respond"]
