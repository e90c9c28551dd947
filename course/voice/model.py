"""A model as LiveKit asks it: through the course's client, but for what rules tell first.

Whoever wrote an agent on LiveKit, for the course or for LiveKit itself, and whatever its tool that
leads to people is called: a wish for a person makes the call (`course.person`), and no model. So
does a wish to go back to an earlier step of a group (`course.going_back`).
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from livekit.agents import llm
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, APIConnectOptions
from livekit.plugins import openai

from course.going_back import going_back
from course.models.wire import AGENT_HEADER, AsyncOpenAI, Message, ToolSpec
from course.person import put_through
from course.voice.history import context_of, spoken


def live_model(client: AsyncOpenAI, model: str, agent: str = "") -> openai.LLM:
    """A model as LiveKit asks it, through the course's client; the same one for the same arguments.

    Args:
        client: reaches the model.
        model: its name.
        agent: who asks, for the simulated model's draws.
    """
    key = (id(client), model, agent)
    made = _models.get(key)
    if made is None:  # LiveKit warms each one up, which is a request
        headers = {AGENT_HEADER: agent} if agent else {}
        made = _models[key] = _Model(client=client, model=model, extra_headers=headers)
    return made


class _Model(openai.LLM):
    """LiveKit's own, asked only where no rule tells what follows."""

    def chat(  # type: ignore[override]  # what more there is goes on as it is
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
        **more: Any,
    ) -> llm.LLMStream:
        """The answer as a stream: the model's, or the call that a rule makes."""
        offered = _specs(tools or [])
        said = context_of(chat_ctx).messages if offered else ()
        if put := put_through(offered, said) or going_back(offered, said):
            given: Any = {"chat_ctx": chat_ctx, "tools": tools, "conn_options": conn_options}
            return _Told(self, put.message, **given)
        return super().chat(chat_ctx=chat_ctx, tools=tools, conn_options=conn_options, **more)


_models: WeakValueDictionary[tuple[int, str, str], openai.LLM] = WeakValueDictionary()


class _Told(llm.LLMStream):
    """The stream of a message that is there already."""

    def __init__(self, model: openai.LLM, message: Message, **given: Any) -> None:
        self._message = message
        super().__init__(model, **given)

    async def _run(self) -> None:
        self._event_ch.send_nowait(spoken(self._message))


def _specs(tools: list[llm.Tool]) -> list[ToolSpec]:
    """LiveKit's tools as the course has them."""
    offered = llm.ToolContext(tools).parse_function_tools("openai", strict=False)
    functions = (each["function"] for each in offered if each.get("type") == "function")
    return [
        ToolSpec(each["name"], each.get("description") or "", each.get("parameters") or {})
        for each in functions
    ]
