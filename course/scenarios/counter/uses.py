"""Four conversations in a fixed order: a restaurant, a checkout, a booking and a form."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from course.errors import ToolError
from course.scenarios.counter.steps import Ask, Heard, Linear, ReadBack
from course.scenarios.drive_through import Window, Wish
from course.scenarios.drive_through.menu import Line, lines_of
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.visits import Visit, free_slots, identify
from course.scenarios.front_desk.visits import Wish as Appointment
from course.tools import by_name

Pay = Annotated[Literal["card", "cash"] | None, Field(description="card or cash; null if not said")]
PAY = Ask("Do you pay by card or cash?", ("paying",))


class Order(Heard):
    """What a guest wants, and how they pay."""

    wishes: Annotated[
        tuple[Wish, ...],
        Field(description="what the guest wants in the end, one entry for each thing"),
    ] = ()
    paying: Pay = None


def restaurant(window: Window) -> Linear:
    """Greet, order, confirm, pay; then the order's number and how long it takes."""

    def lines(order: Order) -> tuple[list[Line], str]:
        with window.database.read() as connection:
            had, refused = lines_of(connection, order.wishes)
        sorry = f"Sorry: {'; '.join(refused)}." if refused else ""
        if not had:
            raise ToolError(sorry)
        return had, sorry

    def read_back(order: Order) -> str:
        had, sorry = lines(order)
        return f"{', '.join(f'{each.quantity} x {each.name}' for each in had)}. {sorry}"

    def serve(order: Order) -> str:
        number = window.check_order(order.wishes)["order_number"]
        paid = by_name(window.tools)["take_payment"].function(number, order.paying)
        minutes = 3 + 2 * sum(each.quantity for each in lines(order)[0])
        return f"Thank you, {paid['total']} paid. Order {number} is ready in {minutes} minutes."

    wishes = Ask("What would you like?", ("wishes",), check=lines)
    duty = "You take orders. When the guest changes something, only the last word counts."
    return Linear("restaurant", duty, Order, (wishes, ReadBack(read_back), PAY), serve,
                  greeting="Welcome!")  # fmt: skip


class Parcel(Heard):
    """Where a parcel goes, and how."""

    street: Annotated[str | None, Field(description="the address: street and number")] = None
    city: Annotated[str | None, Field(description="the city")] = None
    delivery: Annotated[
        Literal["standard", "express"] | None, Field(description="how fast; null if not said")
    ] = None
    paying: Pay = None


def checkout(basket: dict[str, int], orders: list[Parcel]) -> Linear:
    """The checkout of a shop: `basket` has prices in EUR, `orders` gets the order."""

    def read_back(parcel: Parcel) -> str:
        total = sum(basket.values()) + (9 if parcel.delivery == "express" else 4)
        where = f"{parcel.street}, {parcel.city}"
        return f"{', '.join(basket)}, {parcel.delivery}, to {where}: {total} EUR."

    def send(parcel: Parcel) -> str:
        orders.append(parcel)
        return f"Thank you. Order {len(orders)} is on its way to {parcel.city}."

    where = Ask("Where shall it go: street, number and city?", ("street", "city"))
    how = Ask("Standard or express delivery?", ("delivery",))
    steps = (where, how, ReadBack(read_back), PAY)
    return Linear("checkout", "You note where a parcel goes, and how.", Parcel, steps, send)


class Slot(Heard):
    """Who wants to come, and when."""

    patient: Annotated[str | None, Field(description="the patient's full name")] = None
    day: Annotated[date | None, Field(description="the day of the visit; null if not said")] = None
    part_of_day: Annotated[
        Literal["morning", "afternoon"] | None, Field(description="null if not said")
    ] = None

    @property
    def wish(self) -> Appointment:
        """The same, as the front desk takes it."""
        return Appointment.model_validate(self, from_attributes=True)


def booking(desk: Desk) -> Linear:
    """The booking of an appointment at a clinic's front desk."""
    visit = Visit(desk)

    def book(slot: Slot) -> str:
        booked = visit.book(slot.wish)
        return f"Booked for {slot.patient}: {booked['starts']}, {booked['doctor']}."

    name = Ask("What is the patient's full name?", ("patient",),
               check=lambda slot: identify(desk, slot.patient))  # fmt: skip
    when = Ask("Which day, and morning or afternoon?", ("day", "part_of_day"),
               check=lambda slot: free_slots(desk, slot.wish, visit.speciality()))  # fmt: skip
    sure = ReadBack(lambda slot: f"{slot.patient}, {slot.day}, in the {slot.part_of_day}.")
    duty = f"You book appointments. Today is {desk.today}."
    return Linear("booking", duty, Slot, (name, when, sure), book)


class Form(Heard):
    """Who somebody is, and how they can be reached."""

    name: Annotated[str | None, Field(description="first and last name")] = None
    born: Annotated[date | None, Field(description="the date of birth")] = None
    email: Annotated[str | None, Field(description="the e-mail address")] = None


def form(filed: list[Form]) -> Linear:
    """A form that is filled in by talking; `filed` gets it."""

    def reachable(form: Form) -> None:
        if form.email and not re.fullmatch(r"[^@\s]+@[^@\s]+\.\w+", form.email):
            raise ToolError(f"{form.email} is no e-mail address.")

    def file(form: Form) -> str:
        filed.append(form)
        return f"Thank you, {form.name}: your form has number {len(filed)}."

    steps = (
        Ask("What is your name?", ("name",)),
        Ask("When were you born?", ("born",)),
        Ask("What is your e-mail address?", ("email",), check=reachable),
        ReadBack(lambda form: f"{form.name}, born {form.born}, {form.email}."),
    )
    return Linear("form", "You fill in a form.", Form, steps, file)
