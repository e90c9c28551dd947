"""The hospital's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.patient_case.generate import make_hospital
from course.scenarios.patient_case.names import TODAY
from course.scenarios.patient_case.tools import Files, Laboratory, Pharmacy
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class Hospital(World):
    """Sixteen patients with results, medicines, stays and letters. Nothing in it is for care."""

    make = staticmethod(make_hospital)
    today = TODAY


def workers(world: Hospital) -> tuple[Agent, ...]:
    """A registrar, a reader of letters, a laboratory, a pharmacist and a writer: no shared tool."""
    files, laboratory = Files(world.database), Laboratory(world.database)
    pharmacy = Pharmacy(world.database)
    return (
        worker(
            world,
            "registrar",
            "finds patients by name, their stays and examinations, and queries the database",
            duty="You find patients and say what the files hold about them.",
            does=(
                files.find_patient,
                files.list_stays,
                files.list_examinations,
                *querying(world),
            ),
        ),
        worker(
            world,
            "reader",
            "searches and reads discharge letters, clinic notes, reports and guidelines",
            duty="You find out what letters and notes say about a patient.",
            does=searching(world),
        ),
        worker(
            world,
            "laboratory",
            "looks up laboratory results, calculates trends in one unit and kidney function",
            duty="You say what the laboratory measured, each value with its unit.",
            does=(
                laboratory.get_latest_result,
                laboratory.measure_lab_trend,
                laboratory.calculate_kidney_function,
                *calculating(),
            ),
        ),
        worker(
            world,
            "pharmacist",
            "lists medicines, checks interactions, allergies and doses",
            duty="You check what a patient takes. You report, and change no prescription.",
            does=(pharmacy.list_medicines, pharmacy.check_interactions, pharmacy.check_dose),
        ),
        writer(world),
    )
