"""What a guest orders, and the state that travels through the drive-through's stages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Size = Literal["small", "medium", "large"]
Paying = Literal["card", "cash"]


class Wish(BaseModel):
    """One thing that a guest asked for, in the guest's words: nobody has looked at the menu yet."""

    model_config = ConfigDict(frozen=True)

    item: Annotated[str, Field(description="what is wanted, without number and size")]
    quantity: Annotated[int, Field(ge=1, description="how many")] = 1
    size: Annotated[Size | None, Field(description="the size, if one was said")] = None
    extras: Annotated[
        tuple[str, ...], Field(description="what is to be added, such as bacon; empty if nothing")
    ] = ()


class Order(BaseModel):
    """Everything that becomes known of one order, from the first word to the last window.

    `request` is there at the start; each stage fills some of the others.
    """

    model_config = ConfigDict(frozen=True)

    request: Annotated[str, Field(description="what the guest said")]
    greeting: Annotated[str, Field(description="a short greeting")] = ""
    wishes: Annotated[
        tuple[Wish, ...],
        Field(description="what the guest wants in the end, one entry for each thing"),
    ] = ()
    paying: Annotated[Paying, Field(description="how the guest pays; card if nothing is said")] = (
        "card"
    )
    order_number: Annotated[int | None, Field(description="the order's number")] = None
    lines: Annotated[tuple[str, ...], Field(description="what comes, with prices")] = ()
    refused: Annotated[tuple[str, ...], Field(description="what cannot be had, and why")] = ()
    sorry: Annotated[str, Field(description="why there is no order at all; else empty")] = ""
    total: Annotated[str, Field(description="what was paid, as the till says it")] = ""
    receipt: Annotated[str, Field(description="the receipt's number, as the till says it")] = ""
    answer: Annotated[str, Field(description="what the guest is told at the last window")] = ""
