"""Cloud providers: who is largest, who grows, and what the articles say of them.

`Providers(seed=7)` gives a market of its own to each run, `workers(providers)` are a researcher, an
analyst and a writer, `REQUEST` is what they are asked, and `wrong_figures(providers, answer)` says
what an answer has wrong.
"""

from __future__ import annotations

from course.scenarios.cloud_providers.providers import (
    REQUEST,
    Providers,
    order_flaws,
    workers,
    wrong_figures,
)

__all__ = ["REQUEST", "Providers", "order_flaws", "workers", "wrong_figures"]
