import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from course import clock
from course.scenarios import front_desk
from course.tools import by_name, call_tool


@pytest.fixture
def desk() -> Iterator[front_desk.Desk]:
    with front_desk.Desk(seed=7) as desk:
        yield desk


@pytest.fixture
def use(desk: front_desk.Desk) -> Callable[..., Any]:
    """Call a tool the way the agent loop does, from JSON to JSON."""
    return user_of(desk)


def user_of(desk: front_desk.Desk) -> Callable[..., Any]:
    def use(tool: str, /, **arguments: Any) -> Any:
        text = clock.simulate(call_tool(by_name(desk.tools)[tool], json.dumps(arguments)))
        return json.loads(text)

    return use
