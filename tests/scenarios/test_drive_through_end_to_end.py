"""The sample orders, put through the four stages with the simulated model: answers and rows.

The model is general and knows nothing of this menu, so this also tells how far it gets. What it
cannot do yet is listed by name, and found out as soon as it can.
"""

from __future__ import annotations

import asyncio
import functools
import re
from dataclasses import replace

import pytest

from course import clock, connect
from course.events import Event
from course.observability.information import Unshown, unshown
from course.pipeline import PipelineResult, StageCompleted
from course.runner import run
from course.scenarios import drive_through
from course.scenarios.drive_through import REQUESTS, Order, Sample
from course.scenarios.drive_through.chain import chain
from course.scenarios.drive_through.requests import Ordered
from course.trace import Trace
from tests.scenarios.serving import serve

SEEDS = (7, 1, 2)

Rows = tuple[dict[int, frozenset[Ordered]], dict[int, tuple[int, str]]]


@functools.cache
def served(name: str, seed: int) -> tuple[Sample, PipelineResult[Order], Rows]:
    """The request, how it ended, and the orders and payments that came to be by it."""
    request = next(each for each in REQUESTS if each.name == name)
    with drive_through.Window(seed=seed) as window:
        sample = request.on(window)
        orders, paid = drive_through.orders(window), drive_through.paid(window)
        result = serve(window, sample.text)
        after = drive_through.orders(window), drive_through.paid(window)
        assert orders.items() <= after[0].items()  # nobody else's order was touched
        assert paid.items() <= after[1].items()  # and nobody else's was paid
        new = (
            {number: lines for number, lines in after[0].items() if number not in orders},
            {number: entry for number, entry in after[1].items() if number not in paid},
        )
        return sample, result, new


def is_right(name: str, seed: int) -> bool:
    sample, result, (orders, paid) = served(name, seed)
    return (
        list(orders.values()) == ([sample.lines] if sample.lines else [])
        and list(paid.values()) == ([(sample.cents, sample.paying)] if sample.cents else [])
        and result.state.refused == sample.refused
        and not sample.missing(result.answer)
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [request.name for request in REQUESTS])
def test_the_order_the_till_and_the_answer_are_right(name: str, seed: int) -> None:
    sample, result, rows = served(name, seed)
    assert is_right(name, seed), f"{sample.text} -> {result.state} {rows}"


@pytest.mark.parametrize("seed", range(10))
def test_what_is_said_is_what_the_database_holds(seed: int) -> None:
    """Even where the guest was misunderstood: every amount that is said is the till's."""
    for request in REQUESTS:
        _, result, (orders, paid) = served(request.name, seed)
        if result.ended:
            assert (orders, paid) == ({}, {})
            assert "EUR" not in result.answer
            continue
        [(number, (cents, paying))] = paid.items()
        assert set(orders) == {number} == {result.state.order_number}
        amounts = [int(each.replace(".", "")) for each in re.findall(r"-?\d+\.\d\d", result.answer)]
        assert amounts.count(cents) >= 1
        said = [int(line.rpartition(" ")[0].rpartition(" ")[2].replace(".", "")) for line in
                result.state.lines]  # fmt: skip
        assert sum(said) == cents
        assert set(amounts) <= {cents, *said}
        assert result.state.total == f"{cents // 100}.{cents % 100:02d} EUR"
        assert result.state.paying == paying


def test_a_guest_served_again_after_a_crash_pays_once() -> None:
    with drive_through.Window(seed=7) as window:
        kept: list[str] = []

        def keep(event: Event) -> None:
            if isinstance(event, StageCompleted):
                kept.append(event.stage.state.model_dump_json(exclude_unset=True))

        async def order() -> PipelineResult[Order]:
            async with connect("simulated", profile="instant") as client:
                text = REQUESTS[0].on(window).text
                return await run(chain(window), text, client=client, on_event=keep)

        whole = clock.simulate(order())
        before = drive_through.paid(window), drive_through.orders(window)
        for text in kept:  # as if it had been killed after each of the stages
            start = Order.model_validate_json(text)

            async def again(start: Order = start) -> PipelineResult[Order]:
                async with connect("simulated", profile="instant") as client:
                    return await run(chain(window), start=start, client=client)

            if start.order_number is not None:
                assert clock.simulate(again()).state == whole.state
                assert (drive_through.paid(window), drive_through.orders(window)) == before


@pytest.mark.parametrize("checked", [False, True])
def test_a_cashier_who_is_not_shown_the_number_charges_somebody_else(checked: bool) -> None:
    """The second window of chapter 02: it runs without an error, and the trace tells why not."""
    with drive_through.Window(seed=21) as window:
        ahead = max(drive_through.orders(window)) - 1
        assert ahead not in drive_through.paid(window)
        whole = chain(window)
        welcome, menu, payment, confirmation = whole.stages
        check = payment.check if checked else None
        blind = replace(payment, reads=("request", "paying"), check=check)
        last = replace(confirmation, check=None)
        broken = replace(whole, stages=(welcome, menu, blind, last))
        trace = Trace("broken")

        async def order() -> PipelineResult[Order]:
            text = f"A cheeseburger and a large cola, please. I am right behind order {ahead}."
            async with connect("simulated", profile="instant") as client:
                return await run(broken, text, client=client, trace=trace)

        result = clock.simulate(order())
        if checked:
            assert str(result.broken).startswith("stage 'payment' could not fill 'total'")
            assert "Not done: payment, confirmation." in result.answer
        else:
            assert result.state.order_number == ahead + 2
            assert result.state.receipt == f"R-{ahead}"
        assert ahead in drive_through.paid(window)
        assert ahead + 2 not in drive_through.paid(window)
        assert unshown(trace) == [Unshown("payment", "order_number", "take_payment")]


def test_five_guests_at_once_get_five_orders_and_five_receipts() -> None:
    with drive_through.Window(seed=7) as window:
        texts = [REQUESTS[place].on(window).text for place in (0, 1, 2, 5, 8)]

        async def rush() -> list[PipelineResult[Order]]:
            async with connect("simulated", profile="calm") as client:
                whole = chain(window)
                orders = (
                    run(whole, text, client=client, run_id=f"guest {n}", trace=Trace(f"guest {n}"))
                    for n, text in enumerate(texts)
                )
                return await asyncio.gather(*orders)

        before = drive_through.paid(window)
        results = clock.simulate(rush())
        numbers = {result.state.order_number for result in results}
        assert len(numbers) == len({result.state.receipt for result in results}) == 5
        assert numbers == set(drive_through.paid(window)) - set(before)
        assert all(window.check_payment(result.state) is None for result in results)
        begins = [result.trace.spans[0].start for result in results]
        assert begins == [0.0] * 5
