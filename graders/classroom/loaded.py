"""What the judges of a class share: loaded once, in the process that they are forked from.

Frozen, so that no collection in a judge looks at it: looking would copy it.
"""

from __future__ import annotations

import gc

from course.models.tokens import count_text
from graders.chapters import released
from graders.classroom import judging as judging

released()
count_text("The tables take 30 MB in each process that loads them by itself.")
gc.collect()
gc.freeze()
