"""The two histories: LiveKit's list of items, and the course's messages in wire form.

LiveKit keeps a call and its result as items of their own, known by ids; the course keeps both in
wire form. Whatever travels from one to the other and back stays the item it was, so that LiveKit
does not take it for news.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from livekit.agents.llm import (
    ChatChunk,
    ChatContext,
    ChatItem,
    ChatMessage,
    ChoiceDelta,
    FunctionCall,
    FunctionCallOutput,
    FunctionToolCall,
)

from course.context import Context
from course.models.wire import Message


class ItemMessage(dict[str, Any]):
    """A message in wire form that knows the items it was made of."""

    items_: tuple[ChatItem, ...] = ()


def context_of(chat_ctx: ChatContext) -> Context:
    """A LiveKit history as the course's: messages in wire form, oldest first.

    Calls that run still, and what LiveKit notes about agents and their tools, are left out.
    """
    outputs = {each.call_id: each for each in chat_ctx.items if each.type == "function_call_output"}
    messages: list[Message] = []
    for item in chat_ctx.items:
        if isinstance(item, ChatMessage):
            content = item.text_content or ""
            messages.append(_made_of({"role": item.role, "content": content}, item))
        elif isinstance(item, FunctionCall) and (output := outputs.get(item.call_id)):
            messages += [_made_of(_call(item), item), _made_of(_result(output), output)]
    return Context(tuple(messages))


def chat_of(context: Context) -> ChatContext:
    """The course's history as LiveKit's; items that came from there are the same again."""
    names = {call["id"]: call["function"]["name"] for call in _calls(context.messages)}
    items: list[ChatItem] = []
    for message in context.messages:
        items += getattr(message, "items_", ()) or _items(message, names)
    return ChatContext(items)


def _made_of(message: Message, item: ChatItem) -> Message:
    made = ItemMessage(message)
    made.items_ = (item,)
    return made


def _call(item: FunctionCall) -> Message:
    function = {"name": item.name, "arguments": item.arguments}
    calls = [{"id": item.call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _result(item: FunctionCallOutput) -> Message:
    return {"role": "tool", "tool_call_id": item.call_id, "content": item.output}


def _calls(messages: Iterable[Message]) -> list[Any]:
    return [call for message in messages for call in message.get("tool_calls") or ()]


def _items(message: Message, names: dict[str, str]) -> list[ChatItem]:
    """New items for a message that LiveKit has not seen, such as a summary."""
    if message["role"] == "tool":
        id, text = message["tool_call_id"], str(message["content"])
        wrong = text.startswith('{"error":')
        name = names.get(id, "")
        return [FunctionCallOutput(call_id=id, name=name, output=text, is_error=wrong)]
    said: list[ChatItem] = []
    if message.get("content"):
        said.append(ChatMessage(role=message["role"], content=[str(message["content"])]))
    for call in _calls([message]):
        asked = call["function"]
        id, name, arguments = call["id"], asked["name"], asked["arguments"]
        said.append(FunctionCall(call_id=id, name=name, arguments=arguments))
    return said


def spoken(message: Message) -> ChatChunk:
    """A message of the course as LiveKit's model would have written it."""
    calls = [
        FunctionToolCall(
            call_id=call["id"],
            name=call["function"]["name"],
            arguments=call["function"]["arguments"],
        )
        for call in message.get("tool_calls") or ()
    ]
    delta = ChoiceDelta(role="assistant", content=message["content"], tool_calls=calls)
    return ChatChunk(id="person", delta=delta)


def last_words(chat_ctx: ChatContext) -> str:
    """The id of what the person said last; empty when they have said nothing.

    The session's own history learns of it only while the model is asked already.
    """
    said = [each.id for each in chat_ctx.messages() if each.role == "user"]
    return said[-1] if said else ""
