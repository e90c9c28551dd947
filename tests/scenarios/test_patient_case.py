"""The hospital's tools: trends in one unit, kidney function, doses and what they refuse."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.errors import ToolError
from course.scenarios.patient_case import DOMAIN
from course.scenarios.patient_case.world import cockcroft_gault, converted, slope
from course.scenarios.world.requests import Call
from tests.scenarios.worlds import Bench

UNITS = {"new_unit": "µmol/L", "old_unit": "mg/dL", "factor": 88.42, "shift": 0.0}
HBA1C = {"new_unit": "mmol/mol", "old_unit": "%", "factor": 10.929, "shift": 2.15}


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(DOMAIN, 7)
    with bench.world:
        yield bench


def use(bench: Bench, tool: str, **arguments: Any) -> Any:
    return json.loads(bench.call(Call(tool, arguments)))


def test_kidney_function_is_that_of_the_published_formula() -> None:
    told = {"age": 60, "weight_kg": 72.0, "creatinine_mg_dl": 1.0}
    assert cockcroft_gault(**told, female=False) == pytest.approx(80.0)
    assert cockcroft_gault(**told, female=True) == pytest.approx(68.0)


def test_units_are_converted_with_factor_and_shift() -> None:
    assert converted(UNITS | {"value": 1.0, "unit": "mg/dL"}, "µmol/L") == pytest.approx(88.42)
    # 7.0 % is 53 mmol/mol in every table of HbA1c.
    assert round(converted(HBA1C | {"value": 7.0, "unit": "%"}, "mmol/mol")) == 53


@given(st.floats(0.1, 500), st.sampled_from([UNITS, HBA1C]))
def test_a_value_converted_there_and_back_is_itself(value: float, units: dict[str, Any]) -> None:
    new, old = units["new_unit"], units["old_unit"]
    there = converted(units | {"value": value, "unit": new}, old)
    assert converted(units | {"value": there, "unit": old}, new) == pytest.approx(value)


def test_a_slope_is_per_month_and_zero_for_one_day() -> None:
    assert slope(["2025-01-01", "2025-01-31", "2025-03-02"], [10, 13, 16]) == pytest.approx(3.044)
    assert slope(["2025-01-01"], [10]) == 0


def test_a_trend_is_the_same_in_either_unit_but_for_rounding(bench: Bench) -> None:
    asked = {"patient_id": "P-105", "analyte": "creatinine", "year": 2025}
    new, old = (use(bench, "measure_lab_trend", **asked, unit=unit) for unit in ("umol/L", "mg/dL"))
    assert (new["unit"], old["unit"]) == ("µmol/L", "mg/dL")
    assert new["first"] / old["first"] == pytest.approx(88.42, rel=0.01)
    assert new["change_percent"] == pytest.approx(old["change_percent"], abs=0.1)


def test_a_year_in_one_unit_needs_no_unit_and_unknown_ones_are_refused(bench: Bench) -> None:
    asked = {"patient_id": "P-105", "analyte": "creatinine"}
    assert use(bench, "measure_lab_trend", **asked, year=2024)["unit"] == "mg/dL"
    with pytest.raises(ToolError, match="cannot be given in 'g/L', only in µmol/L or mg/dL"):
        use(bench, "measure_lab_trend", **asked, year=2024, unit="g/L")
    with pytest.raises(ToolError, match="no creatinine of 1999; there are results of 2024, 2025"):
        use(bench, "measure_lab_trend", **asked, year=1999)


def test_a_limit_below_the_kidneys_threshold_is_the_lower_one(bench: Bench) -> None:
    [row, *_] = bench.world.rows(
        "SELECT patient_id, dose_mg * times_a_day AS daily FROM prescriptions"
        " WHERE drug = 'metformin' AND stopped IS NULL"
    )
    asked = {"patient_id": row["patient_id"], "drug": "Metformin"}
    limits = [
        use(bench, "check_dose", **asked, clearance_ml_min=c)["limit_daily_mg"] for c in (59.9, 60)
    ]
    assert limits == [1000, 3000]
    told = use(bench, "check_dose", **asked, clearance_ml_min=30)
    assert told["daily_mg"] == row["daily"]
    assert told["verdict"] == ("above the limit" if row["daily"] > 1000 else "within the limit")
    with pytest.raises(ToolError, match=r"does not take 'aspirin'; there are .*metformin"):
        use(bench, "check_dose", patient_id=row["patient_id"], drug="aspirin")


def test_stopped_medicines_are_neither_listed_nor_checked(bench: Bench) -> None:
    rows = bench.world.rows(
        "SELECT patient_id, drug FROM prescriptions p WHERE stopped IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM prescriptions q WHERE q.patient_id = p.patient_id AND q.drug = p.drug"
        " AND q.stopped IS NULL)"
    )
    assert rows
    for row in rows:
        listed = use(bench, "list_medicines", patient_id=row["patient_id"])["medicines"]
        checked = use(bench, "check_interactions", patient_id=row["patient_id"])
        assert row["drug"] not in {medicine["drug"] for medicine in listed}
        assert row["drug"] not in json.dumps(checked)


def test_interactions_are_found_whichever_is_named_first(bench: Bench) -> None:
    for who in bench.world.rows("SELECT id FROM patients"):
        told = use(bench, "list_medicines", patient_id=who["id"])
        drugs = {medicine["drug"] for medicine in told["medicines"]}
        pairs = {
            (row["one"], row["other"])
            for row in bench.world.rows("SELECT one, other FROM interactions")
            if {row["one"], row["other"]} <= drugs
        }
        found = use(bench, "check_interactions", patient_id=who["id"])["interactions"]
        assert {(row["one"], row["other"]) for row in found} == pairs


def test_a_clearance_without_a_weight_is_called_missing(bench: Bench) -> None:
    [row] = bench.world.rows("SELECT id FROM patients WHERE weight_kg IS NULL")
    with pytest.raises(ToolError, match=r"no weight of .* cannot be calculated: say that"):
        use(bench, "calculate_kidney_function", patient_id=row["id"])


def test_an_unknown_patient_and_a_wrong_year_are_named(bench: Bench) -> None:
    with pytest.raises(ToolError, match="no patient is called 'Nobody Here': give first and last"):
        use(bench, "find_patient", name="Nobody Here")
    for tool in ("list_stays", "list_examinations", "list_medicines", "calculate_kidney_function"):
        with pytest.raises(ToolError, match="there is no patient P-999: find_patient gives"):
            use(bench, tool, patient_id="P-999")
    [row] = bench.world.rows("SELECT name FROM patients WHERE id = 'P-101'")
    with pytest.raises(ToolError, match=r"was born in 1900, but in \d{4} and \d{4}: give that"):
        use(bench, "find_patient", name=row["name"], birth_year=1900)
