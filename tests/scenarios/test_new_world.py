"""A world of one's own: what `new-world` writes holds all that the kit's own worlds hold."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from course import clock, connect
from course.cli import main
from course.errors import ScenarioError
from course.runner import run
from course.scenarios import own
from course.scenarios.domains import DOMAINS
from course.scenarios.world.domain import Domain
from course.scenarios.world.new import FILES
from course.scenarios.world.world import World
from tests.scenarios import test_domains, worlds

MOST_LINES = 250
PARTS = (".py", ".sql", ".toml")
OF_A_BENCH = (
    test_domains.test_every_fact_is_reached_by_calling_the_tools,
    test_domains.test_every_document_to_cite_is_met_on_the_way,
    test_domains.test_every_trap_trips_the_naive_call_and_yields_to_the_refined,
    test_domains.test_a_wrong_number_is_refused,
    test_domains.test_a_wrong_direction_is_refused,
    test_domains.test_figures_of_two_subjects_cannot_be_swapped,
    test_domains.test_a_missing_source_an_invented_one_and_an_invented_figure,
    test_domains.test_a_gap_has_to_be_called_one_and_not_filled,
    test_domains.test_an_empty_answer_and_one_that_obeys_a_document,
    test_domains.test_orders_in_documents_come_as_quotations,
)
OF_A_DOMAIN = (
    test_domains.test_the_same_seed_gives_the_same_world_to_the_byte,
    test_domains.test_another_seed_gives_other_names_and_numbers,
    test_domains.test_closing_deletes_the_file_and_the_tools_say_so,
    test_domains.test_three_or_more_workers_share_no_tool_and_no_words,
    test_domains.test_five_requests_of_growing_difficulty,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of worlds that is found as the one of the working folder is."""
    monkeypatch.setenv(own.FOLDER, str(tmp_path))
    monkeypatch.setattr(own, "__path__", [str(tmp_path)])
    before = set(sys.modules)
    yield tmp_path
    for name in [each for each in sys.modules if each.startswith(f"{own.__name__}.")]:
        if name not in before:
            del sys.modules[name]


def made(folder: Path, name: str) -> Domain[World]:
    assert main(["new-world", name]) == 0
    (domain,) = own.domains()
    return domain


def test_a_new_world_works_before_anything_is_changed(folder: Path) -> None:
    domain = made(folder, "ferry_line")
    assert (domain.name, domain.open.__name__) == ("ferry line", "FerryLine")
    for check in OF_A_DOMAIN:
        check(domain)
    for seed in (7, 42):
        bench = worlds.Bench(domain, seed)
        with bench.world:
            for on in OF_A_BENCH:
                on(bench)
            for worded in (worlds.in_sentences, worlds.in_bullets, worlds.in_a_table):
                test_domains.test_right_answers_are_accepted_however_they_are_worded(bench, worded)


def test_one_of_its_workers_answers_its_first_request(folder: Path) -> None:
    domain = made(folder, "ferry_line")
    with domain.open(seed=7) as world:
        counter = next(each for each in domain.workers(world) if each.name == "counter")
        request = domain.requests[0].on(world)
        [fact] = request.facts
        result = clock.simulate(run(counter, request.text, client=connect()))
    assert fact.value is not None
    assert f"{fact.value:.0f}" in result.answer.replace(",", "")


def test_it_takes_three_files_and_250_lines(folder: Path) -> None:
    made(folder, "ferry_line")
    files = sorted((folder / "ferry_line").iterdir())
    written = [each for each in files if each.is_file()]
    assert {each.name for each in written} == set(FILES)
    assert sum(len(each.read_text().splitlines()) for each in written) <= MOST_LINES
    assert not any("BikeRental" in each.read_text() for each in written)


@pytest.mark.parametrize("name", ["Ferry", "class", "ferry-line", "", "../out", "_x"])
def test_a_name_that_is_none_is_refused(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-world", name]) == 2
    assert capsys.readouterr().err == (
        f"course: '{name}' is no name for a world: use small letters and _, such as ferry_line\n"
    )


def test_a_world_that_is_there_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(folder, "ferry_line")
    (folder / "ferry_line/world.py").write_text("mine = 1\n")
    assert main(["new-world", "ferry_line"]) == 2
    assert "is there already: choose another name" in capsys.readouterr().err
    assert (folder / "ferry_line/world.py").read_text() == "mine = 1\n"


def test_a_broken_world_is_named(folder: Path) -> None:
    made(folder, "ferry_line")
    del sys.modules[f"{own.__name__}.ferry_line"]
    (folder / "ferry_line/__init__.py").write_text("DOMAIN = nothing\n")
    invalidate_caches()
    with pytest.raises(ScenarioError, match=r"ferry_line cannot be loaded \(NameError: .*\): "):
        list(own.domains())


PROGRAM = """
from course.scenarios import domains, own
print(own.place(), *domains.names(), domains.DOMAINS[-1].open.__module__, sep="|")
"""


@pytest.mark.parametrize("named", [True, False])
def test_a_world_is_found_in_the_folder_that_the_environment_names_and_nowhere_if_that_is_empty(
    folder: Path, named: bool
) -> None:
    made(folder, "ferry_line")
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {own.FOLDER: str(folder) if named else ""},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    place, *names, module = found.stdout.strip().split("|")
    assert (module == "course.scenarios.own.ferry_line.world") == ("ferry line" in names) == named
    assert place == str(folder) if named else place.endswith("worlds")


def test_the_kits_domains_have_names_of_their_own() -> None:
    assert len({domain.name for domain in DOMAINS}) == len(DOMAINS)


@pytest.mark.parametrize("name", ["cloud_providers", "counter", "medical_office", "sales_copilot"])
def test_the_kits_smaller_worlds_are_five_files_and_five_hundred_lines(name: str) -> None:
    files = [p for p in (Path(own.__file__).parents[1] / name).iterdir() if p.suffix in PARTS]
    assert len(files) <= 5
    assert sum(len(each.read_text(encoding="utf-8").splitlines()) for each in files) <= 500
