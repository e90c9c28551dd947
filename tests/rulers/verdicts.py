"""A case of any kind, played and judged."""

from __future__ import annotations

from openai import AsyncOpenAI

from tests.rulers import plans
from tests.rulers.cases import Json, Ruler, Verdict, World, world_of
from tests.rulers.judging import judge_deed, judge_program, judge_visitor
from tests.rulers.playing import play, play_deed, visited


async def verdict(ruler: Ruler, case: Json, client: AsyncOpenAI) -> Verdict:
    """Play a case of a set once; the client's model is who is judged."""
    match ruler.kind:
        case "programs":
            world = World(case["tools"])
            return judge_program(case, world, await play(case, world, client))
        case "visitors":
            world = world_of(ruler.held, case["world"])
            return judge_visitor(case, world, await play(visited(case, world), world, client))
        case "deeds":
            world = world_of(ruler.held, case["world"])
            return judge_deed(case, world, await play_deed(case, world, client))
    staff = case["staff"]
    listed = ruler.held["staffs"][staff] if isinstance(staff, str) else staff
    return await plans.verdict(case, listed, client)
