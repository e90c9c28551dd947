"""The rules of a class: what they cannot mean is refused, what is not known is told."""

from pathlib import Path

import pytest

from course.errors import ConfigurationError
from graders.classroom.settings import FILE, settings

DUE = "2026-11-20T23:59:00+01:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE


@pytest.mark.parametrize("table", ["due", "columns"])
@pytest.mark.parametrize("name", ["01_one_agent", "01", '"01"'])
def test_a_chapter_is_known_by_name_and_number(path: Path, table: str, name: str) -> None:
    path.write_text(f"\ufeff[{table}]\n{name} = '{DUE}'\n", encoding="utf-8")
    made, odd = settings(path)
    assert (list(getattr(made, table)), odd) == (["01_one_agent"], [])


@pytest.mark.parametrize("table", ["due", "columns"])
@pytest.mark.parametrize(
    ("name", "hint"), [("01_one_agnt", ": do you mean '01_one_agent'?"), ("77", "")]
)
def test_a_chapter_that_there_is_not_is_told(path: Path, table: str, name: str, hint: str) -> None:
    path.write_text(f"[{table}]\n{name} = '{DUE}'\n")
    made, odd = settings(path)
    assert not getattr(made, table)
    assert odd == [f"class.toml [{table}]: there is no chapter '{name}', so it was left out{hint}"]


def test_all_that_is_wrong_is_told_at_once(path: Path) -> None:
    path.write_text(
        "percent = 3\n[late]\ncap = 200\n[due]\n00 = 2026-11-20\n01 = 2026-11-20T10:00:00\n"
        "02 = 'soon'\n77 = 2026-11-20T10:00:00Z\n"
    )
    with pytest.raises(ConfigurationError) as refused:
        settings(path)
    said = str(refused.value)
    for part in ("late.cap: Input", "due.02_pipeline: Input", "'percent'", "no chapter '77'"):
        assert part in said
    assert said.count("has no time zone") == 2


@pytest.mark.parametrize("name", ["percent_per_day", "cap", "grace_minutes", "credit_days"])
@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1000.5"])
def test_what_lateness_cannot_cost_is_refused(path: Path, name: str, value: str) -> None:
    path.write_text(f"[late]\n{name} = {value}\n")
    if (name, value) == ("grace_minutes", "1000.5"):
        assert settings(path)[0].late.grace_minutes == 1000.5
        return
    with pytest.raises(ConfigurationError, match=f"late.{name}: Input should be"):
        settings(path)
