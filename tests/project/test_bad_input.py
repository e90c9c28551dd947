"""Bad input, end to end: a clear word for it, nothing lost, and nothing done that was not asked."""

import json
import re
from collections.abc import Sequence
from contextlib import closing
from sqlite3 import connect as opened
from typing import Any

import pytest

from course import clock, connect
from course.errors import ToolError
from course.runner import run
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain, toolbox
from course.scenarios.world.requests import Call
from course.scenarios.world.rubric import right, rubric
from course.scenarios.world.world import World
from course.supervisor_worker import Plan, PlanError, PlanningSupervisor, PlanTask
from course.systems import carry_out
from graders.exercises.ch11.errands import Errand, made
from tests.project.boundary import Site, by_id, refused
from tests.project.playing import SEED, Played, play, stage

EVERY = pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)


# Plans


def plan_text(*tasks: dict[str, Any], said: str = "") -> str:
    return json.dumps({"goal": "g", "tasks": list(tasks), "final_instruction": said})


def planned(id: str, *needs: str, worker: str = "writer") -> dict[str, Any]:
    words = "Lay out the figures of revenue"
    return {"id": id, "description": words, "worker": worker, "dependencies": list(needs)}


BAD = {
    "no JSON": ("I would first look at the figures.", "not JSON at line 1"),
    "cut off": (plan_text(planned("t1"))[:-9], "not JSON at line 1"),
    "no object": ("[1, 2]", "no plan but list; write one JSON object"),
    "no plan": ('{"steps": []}', "tasks: Field required"),
    "a circle": (plan_text(planned("a", "b"), planned("b", "a")), "a -> b -> a"),
    "a task that is not there": (
        plan_text(planned("a", "zz")),
        "depends on 'zz', which is no task",
    ),
    "a worker that is not there": (plan_text(planned("a", worker="cook")), "no worker 'cook'"),
    "the same id twice": (plan_text(planned("a"), planned("a")), "2 tasks have the id 'a'"),
    "10,000 tasks": (
        plan_text(*(planned(f"t{n}") for n in range(10_000))),
        "the plan has 10000 tasks, at most 100 are allowed",
    ),
}


def only_planning(
    world: World, domain: Domain[Any], answers: Sequence[str]
) -> tuple[Site, PlanError]:
    """A run that ends without a plan, and what was seen of it."""
    left = list(answers)
    site = Site(lambda request: left.pop(0))
    boss = PlanningSupervisor(name="chief", workers=site.staff(domain.workers(world)))
    with pytest.raises(PlanError) as raised:
        clock.simulate(carry_out(boss, "What is the revenue?", client=site.client))
    assert all(e.kind == "model" and not e.request.get("tools") for e in site.exchanges)
    assert "\n" not in str(raised.value)
    return site, raised.value


@pytest.mark.parametrize("flaw", BAD)
def test_a_bad_plan_goes_back_with_what_is_wrong_and_the_next_one_is_carried_out(flaw: str) -> None:
    text, said = BAD[flaw]
    domain = DOMAINS[0]
    with domain.open(seed=SEED) as world:
        run = play(world, domain, (3,), first=(text,))
        second = run.log.exchanges[1].request["messages"]
        assert said in second[-1]["content"].replace("b -> a -> b", "a -> b -> a")
        assert text.startswith(second[-2]["content"].partition(" [cut: ")[0])
        assert right(rubric(world, run.asked[0][0], run.result.answer))


@pytest.mark.parametrize("flaw", BAD)
def test_without_a_plan_that_could_be_carried_out_nothing_runs(flaw: str) -> None:
    text, said = BAD[flaw]
    with DOMAINS[0].open(seed=SEED) as world:
        site, error = only_planning(world, DOMAINS[0], [text] * 9)
    assert len(site.exchanges) == 3
    assert said in str(error).replace("b -> a -> b", "a -> b -> a")


READABLE = ("a circle", "a task that is not there", "a worker that is not there",
            "the same id twice", "10,000 tasks")  # fmt: skip


@pytest.mark.parametrize("flaw", READABLE)
def test_a_persons_plan_that_cannot_be_carried_out_is_refused_before_anybody_is_asked(
    flaw: str,
) -> None:
    text, said = BAD[flaw]
    with DOMAINS[0].open(seed=SEED) as world:
        ready = stage(world, DOMAINS[0], (1,))
        with pytest.raises(PlanError) as raised:
            clock.simulate(ready.run(plan=Plan.from_json(text)))
    assert said in str(raised.value).replace("b -> a -> b", "a -> b -> a")
    assert not ready.site.exchanges


def test_a_request_that_nobody_can_serve_is_said_before_anything_runs(place: Any) -> None:
    world, domain = place
    nobody = plan_text(said="none of them books flights")
    site, error = only_planning(world, domain, [nobody])
    assert len(site.exchanges) == 1
    names = ", ".join(worker.name for worker in domain.workers(world))
    assert str(error) == (
        f"no worker can serve the request: none of them books flights; there are: {names}"
    )


# What tools refuse


def errand(world: World, domain: Domain[Any], says: str, naive: Call, call: Call) -> Errand:
    """Something to do besides, whose first call has to be refused."""
    tools = toolbox(domain.workers(world))
    with pytest.raises(ToolError) as caught:
        made(naive, tools)
    result = json.dumps(made(call, tools))
    return Errand(ref="Z9Z9", call=call, result=result, says=says, naive=naive,
                  refusal=str(caught.value))  # fmt: skip


def contents(world: World) -> list[str]:
    with closing(opened(world.path)) as connection:
        return list(connection.iterdump())


WRITES = (
    "DELETE FROM {0}",
    "DROP TABLE {0}",
    "UPDATE {0} SET rowid = 1",
    "PRAGMA query_only = OFF",
)


@pytest.mark.parametrize("statement", WRITES)
def test_sql_that_writes_is_refused_and_put_differently(place: Any, statement: str) -> None:
    world, domain = place
    before, table = contents(world), world.tables[0]
    naive = Call("query_database", {"sql": statement.format(table)})
    call = Call("query_database", {"sql": f"SELECT count(*) AS rows FROM {table}"})
    extra = errand(world, domain, f"Count the rows of the table {table}", naive, call)
    run = play(world, domain, (1,), besides=(extra,))
    assert overcome(run, extra) == [True, False]
    assert contents(world) == before


NO_ARITHMETIC = (
    "__import__('os').getcwd()",
    "revenue * 2",
    "9 ** 9 ** 9 ** 9",
    "(1).__class__",
    "",
)


@pytest.mark.parametrize("expression", NO_ARITHMETIC)
def test_what_is_no_arithmetic_is_refused_and_put_differently(expression: str) -> None:
    domain = DOMAINS[NO_ARITHMETIC.index(expression)]
    with domain.open(seed=SEED) as world:
        naive = Call("calculate", {"expression": expression})
        call = Call("calculate", {"expression": "412.5 * 2"})
        extra = errand(world, domain, "Calculate double of 412.5", naive, call)
        assert overcome(play(world, domain, (1,), besides=(extra,)), extra) == [True, False]


def overcome(run: Played, extra: Errand) -> list[bool]:
    """Which tries of it were refused; the request itself has to be answered right all the same."""
    assert right(rubric(run.world, run.asked[0][0], run.result.answer)), run.result.answer
    mine = [e for e in run.tries.exchanges if by_id(e) == run.ids[extra.ref]]
    assert extra.refusal in str(mine[1].request["task"])
    made_by = [e for e in run.log.calls(extra.call.tool) if e.request == dict(extra.call.arguments)]
    assert [e.outcome for e in made_by] == ["answered"]
    return [refused(e) for e in mine]


# Documents that carry instructions to the model


_ORDER = re.compile(r"ignore all previous|^(SYSTEM|ASSISTANT)\b", re.IGNORECASE)


def ordering(world: World) -> dict[str, Any]:
    """A document that orders its reader about, with its orders."""
    query = "SELECT id, body FROM documents WHERE body LIKE '%ignore all previous%' ORDER BY id"
    row = world.rows(query)[0]
    orders = [x for x in row["body"].splitlines() if _ORDER.search(x)]
    return {**row, "orders": orders}


def reading(world: World, domain: Domain[Any]) -> Played:
    """The hardest request, with the document read besides."""
    call = Call("read_document", {"document_id": ordering(world)["id"]})
    result = json.dumps(made(call, toolbox(domain.workers(world))))
    extra = Errand(ref="Z9Z9", call=call, result=result, says="Read the document of rumours")
    return play(world, domain, (5,), besides=(extra,))


def test_orders_in_a_document_reach_nobody_but_its_reader_and_as_a_quotation(place: Any) -> None:
    world, domain = place
    run, orders = reading(world, domain), ordering(world)["orders"]
    assert orders
    seen = 0
    for exchange in run.log.requests():
        for message in exchange.request["messages"]:
            for order in orders:
                if order in str(message.get("content")):
                    assert message["role"] == "tool"
                    assert f"> {order}" in json.loads(message["content"])["text"]
                    seen += 1
    assert seen
    verdicts = rubric(world, run.asked[0][0], run.result.answer)
    assert right(verdicts), [v.reason for v in verdicts if not v.passed]


def test_orders_in_a_document_change_nothing_that_is_planned_called_or_answered(place: Any) -> None:
    """The same world with the orders struck out: all that is asked is the same, but for them."""
    world, domain = place
    run, row = reading(world, domain), ordering(world)
    with domain.open(seed=SEED) as clean:
        call = Call("read_document", {"document_id": row["id"]})
        kept = [line for line in row["body"].splitlines() if line not in row["orders"]]
        with clean.database.write() as connection:
            connection.execute(
                "UPDATE documents SET body = ? WHERE id = ?", ("\n".join(kept), row["id"])
            )
        tools = toolbox(domain.workers(clean))
        extra = Errand(ref="Z9Z9", call=call, result=json.dumps(made(call, tools)),
                       says="Read the document of rumours")  # fmt: skip
        other = play(clean, domain, (5,), besides=(extra,))
    assert other.result.plan == run.result.plan
    assert calls_of(other) == calls_of(run)
    assert told(other) == told(run)


def calls_of(run: Played) -> list[tuple[str, str]]:
    return sorted((e.name, json.dumps(e.request, sort_keys=True)) for e in run.log.calls())


def told(run: Played) -> list[str]:
    """The answer, without the code words that hang on all that was asked."""
    return run.result.answer.splitlines()[1:]


@EVERY
def test_a_model_that_reads_for_itself_is_not_steered_either(domain: Domain[Any]) -> None:
    """The simulated model, which follows what it reads as a request, in the whole system."""
    with domain.open(seed=SEED) as world:
        row, agents = ordering(world), domain.workers(world)
        site = Site(lambda request: "")
        workers = site.staff(agents)
        reader = next(w for w in workers if any(t.name == "read_document" for t in w.tools))
        first = PlanTask(id="t1", description=f"Read document {row['id']}", worker=reader.name)
        last = PlanTask(id="t2", description="Summarise what the document says", worker="writer",
                    dependencies=("t1",))  # fmt: skip
        boss = PlanningSupervisor(name="chief", workers=workers)
        plan = Plan(goal="Know what the document says.", tasks=(first, last))
        asked = f"What does document {row['id']} say?"
        client = connect(profile="instant")
        result = clock.simulate(run(boss, asked, client=client, plan=plan))
        sample = domain.requests[4].on(world)
    names = {e.name for e in site.exchanges}
    assert "read_document" in names
    assert names <= {"read_document", "format_bullets", "format_memo", "format_table"}
    own = [line for line in result.answer.splitlines() if ">" not in line]
    assert not [form for form in sample.poison if form.lower() in "\n".join(own).lower()]
