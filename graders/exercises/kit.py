"""What an exercise is written with: `from graders.exercises.kit import *` stands above each.

Worlds and trials, the checks, tests for expected values, plans to draw, and the types that
signatures name. What only a few exercises need, each imports itself.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from course.models import ApiError, Reply
from course.trace import Trace
from graders.checks import (
    by_argument,
    equals,
    fits,
    history,
    history_grows,
    nothing_left,
    parallel,
    tidied,
    viewed,
    within,
)
from graders.checks.keys import end_of
from graders.exercises.cases import cases, compared, stage_of
from graders.exercises.expected import MANY, Checks, error_with, such_that, text_with
from graders.exercises.house_tools import LIFT, call
from graders.exercises.sample_plans import names, plan, shuffled, task
from graders.records.log import Exchange, Log
from graders.records.scenario import (
    Answer,
    Ask,
    Exercise,
    Scenario,
    ScenarioMaker,
    ToolOffer,
    Trial,
)
from graders.records.verdict import Check, Verdict
