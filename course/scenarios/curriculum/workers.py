"""The college's world and the workers in it."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.curriculum.generate import make_college
from course.scenarios.curriculum.names import TODAY
from course.scenarios.curriculum.tools import Examinations, Paths, Workload
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World


class College(World):
    """A college programme of fourteen courses in three yearly editions, and its documents."""

    make = staticmethod(make_college)
    today = TODAY


def workers(world: College) -> tuple[Agent, ...]:
    """A planner, an accountant of hours, a registrar, an archivist, a writer: no shared tool."""
    paths, workload = Paths(world.database), Workload(world.database)
    examinations = Examinations(world.database)
    return (
        worker(
            world,
            "planner",
            "knows prerequisites of courses, finds earliest semesters, checks plans of study",
            duty="You say in which order courses can be taken, in the edition of a given year.",
            does=(paths.list_prerequisites, paths.find_earliest_semester, paths.check_plan),
        ),
        worker(
            world,
            "workload",
            "calculates the hours of courses, hours for each credit, and teachers' loads",
            duty="You count hours of work and of teaching, in one unit.",
            does=(workload.count_course_hours, workload.count_teacher_load, *calculating()),
        ),
        worker(
            world,
            "registrar",
            "looks up examination results and pass rates, and queries the database",
            duty="You look up what the college's database holds about courses and examinations.",
            does=(
                examinations.get_pass_rate,
                examinations.compare_pass_rates,
                *querying(world),
            ),
        ),
        worker(
            world,
            "archivist",
            "searches and reads course descriptions, rules, minutes and evaluations",
            duty="You find out what the college's documents say and what was decided when.",
            does=searching(world),
        ),
        writer(world),
    )
