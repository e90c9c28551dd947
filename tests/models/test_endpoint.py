"""An endpoint from the environment: names rewritten, headers kept back, errors in one line."""

import asyncio
import socket
from collections.abc import Iterator

import openai
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from course import Agent, Supervisor, Worker, run
from course.errors import ConfigurationError
from course.models import LARGE, SMALL, Scripted, connect
from course.models import server as model_server
from course.models.server import background
from tests.models.talk import body, post
from tests.patterns.bosses import order, ordering

KEY = "sk-open-sesame-1234"


@pytest.fixture
def script() -> Scripted:
    return Scripted(lambda _: "from afar")


@pytest.fixture
def endpoint(script: Scripted, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with background(profile="instant", responder=script, require_key=KEY) as url:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        yield url


def test_an_endpoint_answers_whole_and_streamed(endpoint: str) -> None:
    async def talk() -> tuple[str | None, str]:
        client = connect("endpoint")
        whole = await post(client, body())
        stream = await client.chat.completions.create(**body(stream=True))
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
        return whole.choices[0].message.content, text

    assert asyncio.run(talk()) == ("from afar", "from afar")


def test_the_environment_alone_can_choose_it(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_BACKEND", "endpoint")
    answer = asyncio.run(post(connect(), body()))
    assert answer.choices[0].message.content == "from afar"


def test_one_client_serves_one_event_loop_after_another(endpoint: str) -> None:
    client = connect("endpoint")
    for _ in range(2):
        assert asyncio.run(post(client, body())).choices[0].message.content == "from afar"


def test_model_names_are_rewritten_and_own_headers_kept_back(
    endpoint: str, script: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_MODEL", SMALL)
    monkeypatch.setenv("COURSE_MODEL_SMALL", LARGE)
    headers = {"x-switchboard-run": "secret run", "x-switchboard-agent": "spy"}
    asyncio.run(post(connect("endpoint"), body(), headers))
    monkeypatch.delenv("COURSE_MODEL_SMALL")
    asyncio.run(post(connect("endpoint"), body(model=LARGE), headers))
    asyncio.run(post(connect("endpoint"), body(), headers))
    assert [request.model for request in script.requests] == [LARGE, SMALL, SMALL]
    assert {request.key.run for request in script.requests} == {""}
    assert "spy" not in {request.key.agent for request in script.requests}


def test_without_a_key_one_line_is_printed_and_the_simulated_model_answers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = connect("endpoint")
    said = capsys.readouterr()
    assert said.out.count("\n") == 1
    assert "OPENAI_API_KEY" in said.out
    assert "simulated model" in said.out
    assert said.err == ""
    card = asyncio.run(client.models.retrieve(SMALL))
    assert card.owned_by == "switchboard"


def problem(call_model: str = SMALL) -> str:
    with pytest.raises(ConfigurationError) as caught:
        asyncio.run(post(connect("endpoint"), body(model=call_model)))
    message = str(caught.value)
    assert "\n" not in message
    assert "sk-" not in message
    return message


def test_a_wrong_key_is_one_line_without_it(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-barley-5678")
    assert "refuses the key in OPENAI_API_KEY" in problem()


def test_an_unknown_model_names_the_variable_to_set(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_MODEL", "nobodys-9")
    assert "no model 'nobodys-9': set COURSE_MODEL_SMALL" in problem(SMALL)
    assert "no model 'nobodys-9': set COURSE_MODEL to" in problem(LARGE)


def test_an_unreachable_endpoint_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        place = url.removeprefix("http://").removesuffix("/v1")
        assert f"cannot reach {place}: check OPENAI_BASE_URL" in problem()


def test_an_address_without_a_scheme_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL must begin with http"):
        connect("endpoint")


def test_other_errors_of_the_service_reach_the_client(endpoint: str) -> None:
    with pytest.raises(openai.BadRequestError, match="Missing required parameter"):
        asyncio.run(post(connect("endpoint"), {"model": SMALL}))
    with pytest.raises(openai.NotFoundError, match="embeddings"):
        asyncio.run(connect("endpoint").embeddings.create(model=SMALL, input="a"))


def test_the_services_own_answers_and_headers_pass_through(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def odd(request: Request) -> JSONResponse:
        seen = {name for name in request.headers if name.startswith("x-switchboard")}
        return JSONResponse({"error": {"message": f"seen {seen}"}}, 451, {"x-odd": "yes"})

    monkeypatch.setattr(
        model_server,
        "application",
        lambda engine: Starlette(routes=[Route("/{path:path}", odd, methods=["POST"])]),
    )
    with background() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(openai.APIStatusError) as caught:
            asyncio.run(post(connect("endpoint"), body(), {"x-switchboard-run": "r"}))
    assert caught.value.response.headers["x-odd"] == "yes"
    assert caught.value.message.endswith("seen set()")


def test_each_call_brings_a_seed_of_its_own_that_the_same_run_brings_again(
    endpoint: str, script: Scripted
) -> None:
    def seeds(seed: int | None, run_id: str) -> list[int | None]:
        script.requests.clear()
        for agent in ("ann", "ben"):
            asked = run(Agent(name=agent), "Hello.", client=connect("endpoint", seed=seed),
                        run_id=run_id)  # fmt: skip
            asyncio.run(asked)
        return [request.seed for request in script.requests]

    first = seeds(7, "a")
    assert first == seeds(7, "a")
    all_of_them = [*first, *seeds(7, "b"), *seeds(8, "a")]
    assert None not in all_of_them
    assert len(set(all_of_them)) == 6
    assert seeds(None, "a") == [None, None]


def test_a_call_shows_the_model_that_served_it_and_what_it_cost(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_MODEL_SMALL", LARGE)
    client = connect("endpoint", prices={LARGE: (2.0, 8.0)})
    result = asyncio.run(run(Agent(name="ann"), "Hello.", client=client))
    [call] = [span for span in result.trace.spans if span.operation == "chat"]
    assert call.attributes["gen_ai.request.model"] == SMALL
    assert call.attributes["gen_ai.response.model"] == LARGE
    cost = (2.0 * result.usage.input + 8.0 * result.usage.output) / 1e6
    assert call.attributes["switchboard.cost_usd"] == pytest.approx(cost)


def test_of_two_services_each_is_asked_for_its_own_agents_at_its_own_prices(
    script: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss = ordering([order("ann", "greet", id="1"), order("bob", "greet", id="2")])
    ours = Scripted(lambda request: boss(request) if request.tools else "from here")
    with (
        background(profile="instant", responder=ours, require_key="ours") as here,
        background(profile="instant", responder=script, require_key="theirs") as there,
    ):
        monkeypatch.setenv("OPENAI_API_KEY", "ours")
        monkeypatch.setenv("OPENAI_BASE_URL", here)
        settings = {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": there, "COURSE_MODEL": LARGE}
        theirs = connect("endpoint", environ=settings, prices={LARGE: (3.0, 15.0)})
        ann = Worker(name="ann", description="greets")
        bob = Worker(name="bob", description="greets too", client=theirs)
        result = asyncio.run(
            run(
                Supervisor(name="boss", workers=(ann, bob)),
                "Greet.",
                client=connect("endpoint", prices={SMALL: (0.5, 2.0)}),
            )
        )
    assert [each.result for each in result.delegations.values()] == ["from here", "from afar"]
    assert {request.model for request in script.requests} == {LARGE}
    prices = {"boss": (0.5, 2.0), "ann": (0.5, 2.0), "bob": (3.0, 15.0)}
    calls = [span.attributes for span in result.trace.spans if span.operation == "chat"]
    for call in calls:
        read, written = prices[str(call["gen_ai.agent.name"])]
        tokens = call["gen_ai.usage.input_tokens"], call["gen_ai.usage.output_tokens"]
        cost = (tokens[0] * read + tokens[1] * written) / 1e6
        assert call["switchboard.cost_usd"] == pytest.approx(cost)
    assert result.cost == pytest.approx(sum(call["switchboard.cost_usd"] for call in calls))
