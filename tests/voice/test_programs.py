"""Eight programs that are written for LiveKit's cloud, each with three calls to their end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from livekit.agents import AgentSession

from course import clock, connect
from course.errors import ConfigurationError
from course.voice.stand_ins import configured, stand_ins
from course.voice.typed import typed_job
from tests.marking import LONG
from tests.voice.programs import CALLS, PROGRAMS, Call, played, spoken


@pytest.mark.parametrize("call", CALLS, ids=[f"{each.program} {n}" for n, each in enumerate(CALLS)])
def test_a_call_comes_to_its_end(call: Call) -> None:
    said, userdata = played(call)
    assert call.holds(userdata), f"{said}\n{userdata}"


def test_each_program_has_three_calls() -> None:
    names = [path.stem for path in PROGRAMS.glob("*.py")]
    assert len(names) == 8
    assert dict.fromkeys(names, 3) == {
        name: sum(each.program == name for each in CALLS) for name in names
    }


def test_where_livekit_s_own_inference_is_configured_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = {"LIVEKIT_INFERENCE_URL": "http://127.0.0.1:9/v1", "LIVEKIT_API_KEY": "key"}
    for name, value in (keys | {"LIVEKIT_API_SECRET": "a-secret-of-thirty-two-characters"}).items():
        monkeypatch.setenv(name, value)
    assert configured()

    async def made() -> str:
        with stand_ins():
            return str(AgentSession(llm="openai/gpt-4.1-mini").llm.provider)  # type: ignore[union-attr]

    assert asyncio.run(made()) == "livekit"


def test_an_entrypoint_that_begins_no_session_is_told() -> None:
    async def entrypoint(job: Any) -> None:
        """Begins nothing."""

    async def main() -> None:
        async with typed_job(entrypoint, client=connect(profile="instant")):
            raise AssertionError

    with pytest.raises(ConfigurationError, match="'entrypoint' starts no session"):
        clock.simulate(main())


@LONG
def test_a_program_that_names_other_makers_is_called_and_spoken_to_in_a_room() -> None:
    held = spoken()
    assert "Hotel Meridian" in held.greeting, held.transcript()
    assert "from seven to ten" in held.turns[0].answer, held.transcript()
