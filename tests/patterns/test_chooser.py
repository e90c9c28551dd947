"""The pattern chooser: from needs to patterns, with reasons, in words as well as in widgets."""

import re
from pathlib import Path

import ipywidgets
import pytest

from course.errors import ConfigurationError
from course.notebook import chooser
from course.notebook.chooser import CHAPTERS, COSTS, NEEDS, RULES, USES, choose, pattern_table


@pytest.mark.parametrize(
    ("needs", "pattern"),
    [
        (("few",), "one agent"),
        (("fixed",), "pipeline"),
        (("one",), "routing"),
        (("one", "talks on"), "handoff"),
        (("comes back",), "consultation"),
        (("worse",), "escalation"),
        (("several", "at once"), "supervisor"),
        (("many",), "sub-supervisors"),
        (("form",), "task"),
        (("minds",), "task group"),
        (("plan", "at once"), "supervisor-worker"),
    ],
)
def test_each_pattern_is_the_best_for_what_it_is_there_for(
    needs: tuple[str, ...], pattern: str
) -> None:
    assert choose(*needs)[0].pattern == pattern


@pytest.mark.parametrize(
    ("use", "best"),
    [
        ("e-commerce checkout", ["pipeline"]),
        ("form filling", ["task", "task group"]),
        ("booking", ["task"]),
        ("support", ["handoff"]),
        ("troubleshooting", ["escalation"]),
        ("call centre", ["handoff"]),
        ("consultation", ["consultation"]),
        ("multi-department help", ["routing", "supervisor", "sub-supervisors"]),
        ("research report", ["supervisor-worker"]),
        ("questions about one thing", ["one agent"]),
    ],
)
def test_what_such_systems_are_built_for_has_its_patterns(use: str, best: list[str]) -> None:
    found = choose(use)
    assert found == choose(*USES[use])
    assert [each.pattern for each in found if each.fit == found[0].fit] == best


def test_every_need_and_pattern_has_a_rule_a_price_and_a_chapter() -> None:
    assert {rule.need for rule in RULES} == set(NEEDS)
    assert {rule.pattern for rule in RULES} == set(CHAPTERS) == set(COSTS)
    assert all(rule.weight for rule in RULES)
    for need in NEEDS:
        assert choose(need)[0].fit > 0


def test_what_speaks_against_a_pattern_is_told_too() -> None:
    found = {each.pattern: each for each in choose("one", "form", "talks on")}
    assert found["handoff"].doubts == ("a handoff brings back nothing that could be checked",)
    assert found["handoff"].fit == 2
    assert [each.fit for each in choose(*NEEDS)] == sorted(
        (each.fit for each in choose(*NEEDS)), reverse=True
    )


def test_an_unknown_need_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="no need 'speed'; there are: few, fixed, one"):
        choose("speed")


def test_the_table_says_the_same_without_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    pattern_table("form", "minds")
    told = capsys.readouterr().out
    assert told.startswith("Best fit: task (chapter 05), task group (chapter 05). They go together")
    assert "+ results by id, and a way back to an earlier step" in told


def test_ticking_a_box_changes_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[ipywidgets.VBox] = []
    real = ipywidgets.VBox

    def remembered(children: list[ipywidgets.Widget]) -> ipywidgets.VBox:
        made.append(real(children))
        return made[-1]

    monkeypatch.setattr(ipywidgets, "VBox", remembered)
    chooser.pattern_chooser("fixed")
    [*boxes, table] = made[0].children
    assert [box.value for box in boxes] == [need == "fixed" for need in NEEDS]
    assert "Best fit: pipeline" in table.value
    boxes[list(NEEDS).index("fixed")].value = False
    boxes[list(NEEDS).index("form")].value = True
    assert "Best fit: task (chapter 05)" in table.value


def test_the_table_has_headings_for_rows_and_columns_and_no_colour() -> None:
    markup = chooser._markup(["form"])
    assert markup.count('scope="col"') == 5
    assert 'scope="row"' in markup
    assert "<caption" in markup
    assert "color" not in Path(chooser.__file__).read_text()
    assert not re.search(r"#[0-9a-fA-F]{6}", markup)


def test_where_a_use_is_usually_built_in_another_way_it_says_so_and_why() -> None:
    for use, (usual, why) in chooser.DIFFERS.items():
        found = choose(use)
        assert usual not in {each.pattern for each in found if each.fit == found[0].fit}
        assert usual in (said := chooser._caption([use])) and why in said
    assert "often built" not in chooser._caption(["support"])
