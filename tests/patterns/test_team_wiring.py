"""What is wrong with a team is said when it is built: one line, the name, the way out."""

from __future__ import annotations

from typing import Any

import pytest

from course.errors import ConfigurationError
from course.handoff import Handoff
from course.team import HUMAN, Escalation, Team, escalation, hub_and_spoke
from tests.patterns.teaming import agent


def bare(name: str, *to: str) -> Any:
    return agent(name, *to, instructions="", tools=())


def wrong(**more: Any) -> dict[str, Any]:
    return {"name": "desk", **more}


CASES = {
    "nobody": (wrong(agents=()), "a team needs an agent"),
    "no name": (wrong(agents=(agent(" "),)), "an agent has no name"),
    "two of one name": (
        wrong(agents=(agent("hub"), agent("hub"))),
        "two agents are called 'hub': rename one",
    ),
    "the person's name": (wrong(agents=(agent(HUMAN),)), "'human' is the person's name"),
    "unknown target": (
        wrong(agents=(agent("hub", "sales"), agent("billing"))),
        "a handoff of 'hub' is 'sales', which is no agent here; there are: hub, billing",
    ),
    "to itself": (wrong(agents=(agent("hub", "hub"),)), "'hub' hands over to itself"),
    "twice the same": (
        wrong(agents=(agent("hub", "billing", "billing"), agent("billing"))),
        "'hub' has a handoff called 'transfer_to_billing' already",
    ),
    "names that become one": (
        wrong(agents=(agent("hub", "a b", "a_b"), agent("a b"), agent("a_b"))),
        "'hub' has a handoff called 'transfer_to_a_b' already",
    ),
    "no description": (
        wrong(agents=(agent("hub", "billing"), agent("billing", description=""))),
        "'billing' has no description: 'hub' needs it",
    ),
    "unknown entry": (wrong(agents=(agent("hub"),), entry="door"), "the entry is 'door'"),
    "unknown fallback": (wrong(agents=(agent("hub"),), fallback="x"), "the fallback is 'x'"),
    "a person consulted": (
        wrong(agents=(agent("hub", Handoff(HUMAN, returns=True)),)),
        "'hub' consults a person, who answers in their own time",
    ),
    "unknown tier": (
        wrong(agents=(agent("hub"),), escalations=(Escalation(sender="hub", to="top"),)),
        "the escalation of 'hub' is 'top'",
    ),
    "unknown sender": (
        wrong(agents=(agent("hub"),), escalations=(Escalation(sender="low", to="hub"),)),
        "an escalation's sender is 'low'",
    ),
    "a tier that escalates twice": (
        wrong(
            agents=(agent("a"), agent("b")),
            escalations=(Escalation(sender="a", to="b"), Escalation(sender="a", to=HUMAN)),
        ),
        "'a' escalates twice",
    ),
    "a ladder that comes back": (
        wrong(
            agents=(agent("a"), agent("b")),
            escalations=(Escalation(sender="a", to="b"), Escalation(sender="b", to="a")),
        ),
        "the escalations go round for ever: a -> b -> a; let one of them end at 'human'",
    ),
    "agents that can only hand on": (
        wrong(agents=(bare("a", "b"), bare("b", "c"), bare("c", "b"))),
        "agents that can only hand on go round for ever: b -> c -> b",
    ),
}


@pytest.mark.parametrize(("made", "told"), CASES.values(), ids=CASES)
def test_a_team_that_cannot_work_is_refused(made: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Team(**made)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_ladder_that_names_a_tier_twice_is_refused() -> None:
    tier = agent("tier1")
    with pytest.raises(ConfigurationError, match="two agents are called 'tier1'"):
        escalation([tier, agent("tier2"), tier])


@pytest.mark.parametrize(
    "agents",
    [
        (agent("hub", "billing"), agent("billing", "hub")),
        (bare("a", "b"), agent("b", "a")),
        (agent("a", Handoff("b", returns=True)), agent("b", Handoff("a", returns=True))),
    ],
    ids=["hub and spoke", "one can do more", "consultations"],
)
def test_a_cycle_that_is_not_certain_is_no_mistake(agents: Any) -> None:
    assert Team(name="desk", agents=agents).entry == agents[0].name


def test_an_agent_keeps_the_handoffs_it_declares() -> None:
    hub = agent("hub", Handoff("billing", greeting="Good morning."), HUMAN)
    team = hub_and_spoke(hub, [agent("billing"), agent("records")], name="desk")
    assert [each.tool_name for each in team.named["hub"].handoffs] == [
        "transfer_to_billing",
        "transfer_to_human",
        "transfer_to_records",
    ]
    assert team.named["hub"].handoffs[0].greeting == "Good morning."
    assert [each.to for each in team.named["billing"].handoffs] == ["hub"]


def test_spokes_need_not_come_back() -> None:
    team = hub_and_spoke(agent("hub"), [agent("billing")], back=False)
    assert team.named["billing"].handoffs == ()
