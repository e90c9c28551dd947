"""Benches on public data sets: fetched once, checked against a checksum, never shipped.

`fetch("clinc150")` downloads a set from its publisher; the benches "clinc150:10", "banking77:20"
and "parallelqa" read it then. COURSE_DATA says where sets are kept; a file that is there already,
also one ending in .gz, is not fetched again.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from course.agent import Agent
from course.benches.bench import Bench, Case, Named, bench, nearest, span_of
from course.benches.generated import Generated, Shape, figure_of, figure_tool
from course.benches.oracle import Errand
from course.benches.outcome import Scored, counted
from course.errors import ConfigurationError
from course.models.draws import Draws
from course.routing.sentences import Sentence

FOLDER = "COURSE_DATA"
SECONDS = 60
_RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class PublicFile:
    """A file of a set: where it is published, the SHA-256 of its bytes, names of a copy of it."""

    url: str
    sha256: str
    name: str


@dataclass(frozen=True)
class PublicSet:
    """A public data set: who made it, under which licence, its files."""

    source: str
    licence: str
    files: tuple[PublicFile, ...]


SETS: Mapping[str, PublicSet] = {
    "clinc150": PublicSet(
        "Larson et al., An Evaluation Dataset for Intent Classification, EMNLP 2019",
        "CC BY 3.0",
        (
            PublicFile(
                f"{_RAW}/clinc/oos-eval/master/data/data_full.json",
                "36923c3705a59e08fe9c3883d8bc2dd966ef93e22cb78ac41171782a698d56e0",
                "clinc150.json",
            ),
            PublicFile(
                f"{_RAW}/clinc/oos-eval/master/data/domains.json",
                "b947b579d3b8e74b06f93b01083d8efaff2888b43a3e362533bd88a6e1211b3a",
                "clinc150-domains.json",
            ),
        ),
    ),
    "banking77": PublicSet(
        "Casanueva et al., Efficient Intent Detection with Dual Sentence Encoders, 2020",
        "CC BY 4.0",
        (
            PublicFile(
                f"{_RAW}/PolyAI-LDN/task-specific-datasets/master/banking_data/train.csv",
                "b06e26ac675513959a63135f11b94ea7786ed02da65db93a5650d8838cbc664b",
                "banking77-train.csv",
            ),
            PublicFile(
                f"{_RAW}/PolyAI-LDN/task-specific-datasets/master/banking_data/test.csv",
                "d12d6e3bc4c3103966ae786dc435913c0c563dfa328f5a3646d0e62cfeeb474d",
                "banking77-test.csv",
            ),
        ),
    ),
    "parallelqa": PublicSet(
        "Kim et al., An LLM Compiler for Parallel Function Calling, ICML 2024",
        "MIT",
        (
            PublicFile(
                f"{_RAW}/SqueezeAILab/LLMCompiler/main/datasets/parallelqa_dataset.json",
                "a0dbed4051e678eb3898c830343db93a503c0e94509e3924f58b2498d7021cd4",
                "llmcompiler-parallelqa.json",
            ),
        ),
    ),
}


def _folder() -> Path:
    """Where sets are kept: COURSE_DATA, or a folder of the user's."""
    given = os.environ.get(FOLDER)
    return Path(given) if given else Path.home() / ".cache" / "switchboard-course"


def fetch(name: str) -> tuple[bytes, ...]:
    """The files of a public set, from the folder of sets or else from their publisher.

    Raises ConfigurationError: there is no such set, it cannot be had, or a checksum is wrong; a
    file with a wrong one is never used.
    """
    if name not in SETS:
        raise ConfigurationError(f"there is no set '{name}'{nearest(name, SETS)}")
    return tuple(_file(name, each) for each in SETS[name].files)


def _file(of: str, each: PublicFile) -> bytes:
    packed, plain = _folder() / f"{each.name}.gz", _folder() / each.name
    if packed.is_file():
        return _checked(of, each, _unpacked(packed), str(packed))
    if plain.is_file():
        return _checked(of, each, plain.read_bytes(), str(plain))
    import httpx2

    try:
        answer = httpx2.get(each.url, timeout=SECONDS, follow_redirects=True).raise_for_status()
    except httpx2.HTTPError as error:
        raise ConfigurationError(
            f"{of} cannot be fetched from {each.url} ({type(error).__name__}): put the file into"
            f" {_folder()} as {each.name}, or set {FOLDER}"
        ) from None
    data = _checked(of, each, answer.content, each.url)
    plain.parent.mkdir(parents=True, exist_ok=True)
    plain.write_bytes(data)
    return data


def _unpacked(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return b""  # whose checksum is wrong


def _checked(of: str, each: PublicFile, data: bytes, where: str) -> bytes:
    found = hashlib.sha256(data).hexdigest()
    if found != each.sha256:
        raise ConfigurationError(
            f"{where} is not {of} as it was published (SHA-256 {found[:12]}..., expected"
            f" {each.sha256[:12]}...): delete it and fetch it again"
        )
    return data


def intents(name: str) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """The sentences of "clinc150" (by domain) or "banking77" (by intent): to learn from, to test.

    Those of CLINC150 that belong to nobody are in the test, with no agents.
    """
    if name == "clinc150":
        whole, domains = (json.loads(data) for data in fetch(name))
        home = {intent: domain for domain, listed in domains.items() for intent in listed}
        test = [Sentence(text, (home[i],)) for text, i in whole["test"]]
        test += [Sentence(text, (), "out of scope") for text, _ in whole["oos_test"]]
        return tuple(Sentence(text, (home[i],)) for text, i in whole["train"]), tuple(test)
    tables = (csv.DictReader(io.StringIO(data.decode("utf-8-sig"))) for data in fetch(name))
    train, other = (tuple(Sentence(r["text"], (r["category"],)) for r in rows) for rows in tables)
    return train, other


@dataclass(frozen=True)
class Sentences:
    """A bench of sentences: each is one matter of the specialist whom it belongs to."""

    name: str
    specialists: int
    count: int
    world_seed: int
    tuned: str = ""

    @property
    def licence(self) -> str:
        """The set's."""
        return f"{SETS[self.name].licence} ({SETS[self.name].source})"

    def tasks(self) -> Sequence[Named]:
        """So many sentences of each specialist."""
        return tuple(
            Named(f"{self.name}/{who}/{number}", who, self.specialists)
            for who, sentences in _by_specialist(self.name, self.specialists).items()
            for number in range(min(self.count, len(sentences)))
        )

    @contextmanager
    def open(self, task: Named) -> Iterator[Case]:
        """Open a sentence: right is who was asked, and that an answer came of it."""
        _, who, number = task.id.split("/")
        listed = _by_specialist(self.name, self.specialists)
        agents = _desks(tuple(listed), self.world_seed)
        text = listed[who][int(number)]
        tool = next(each.tools[0] for each in agents if each.name == who)
        truth = {"m1": figure_of(self.world_seed, tool.name, text, ())}
        yield Case(
            request=text,
            agents=agents,
            errands=(Errand("m1", tool.name, {"item": text}, "Serve the request"),),
            truth=truth,
            said=lambda answer: _stated(answer, truth["m1"]),
        )


def _stated(answer: str, figure: str) -> Scored:
    return counted({"served by the right one": figure in answer})


@cache
def _by_specialist(name: str, count: int) -> dict[str, list[str]]:
    """The first so many specialists of a set, in a fixed order, with the sentences to test."""
    found: dict[str, list[str]] = {}
    for each in intents(name)[1]:
        for who in each.agents:
            found.setdefault(who, []).append(each.text)
    return {who: found[who] for who in sorted(found)[:count]}


@cache
def _desks(names: tuple[str, ...], seed: int) -> tuple[Agent, ...]:
    return tuple(
        Agent(
            name=name,
            description=f"everything about {name.replace('_', ' ')}",
            instructions=f"You serve requests about {name.replace('_', ' ')}.",
            tools=(figure_tool(name, seed, items=""),),
        )
        for name in names
    )


@bench("clinc150")
def clinc150(argument: str, tasks: int, world_seed: int) -> Bench:
    """CLINC150 by domain: "clinc150:5" has the first five of its ten domains."""
    count = span_of(argument, of="domains", default="10", most=10)[-1]
    return Sentences("clinc150", count, tasks, world_seed)


@bench("banking77")
def banking77(argument: str, tasks: int, world_seed: int) -> Bench:
    """BANKING77 by intent: "banking77:20" has the first twenty of its 77 intents."""
    count = span_of(argument, of="intents", default="20", most=77)[-1]
    return Sentences("banking77", count, tasks, world_seed)


@bench("parallelqa")
def parallelqa(argument: str, tasks: int, world_seed: int) -> Bench:
    """ParallelQA's shapes: as many searches at once as each question has branches, then one sum.

    The set says how many branches a question has, and nothing of its steps: the searches and the
    sum are this course's reading of it.
    """
    [data] = fetch("parallelqa")
    widths: list[dict[str, Any]] = json.loads(data)
    levels = tuple((n, 8) for n in sorted({each["branch"] for each in widths}))

    def shape(level: int, specialists: int, draws: Draws) -> Shape:
        return (
            *((n % specialists, ()) for n in range(level)),
            (level % specialists, tuple(range(level))),
        )

    licence = f"{SETS['parallelqa'].licence} ({SETS['parallelqa'].source})"
    return Generated("parallelqa", levels, shape, tasks, world_seed, licence=licence)
