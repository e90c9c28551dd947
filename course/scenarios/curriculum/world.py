"""The college's world and the workers in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.curriculum.data import TODAY, make_college
from course.scenarios.database import Row
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

CourseName = Annotated[str, Field(description="the course's title or its code")]
Year = Annotated[int | None, Field(description="the year of the edition, such as 2026")]
Graph = Mapping[str, tuple[str, ...]]
LESSON = 0.75  # hours


class College(World):
    """A college programme of fourteen courses in three yearly editions, and its documents."""

    make = staticmethod(make_college)
    today = TODAY

    def list_prerequisites(self, course: CourseName, year: Year = None) -> Row:
        """List what a course requires in a year, directly and in all, and the longest chain."""
        with self.database.read() as connection:
            title = find(connection, course)["title"]
            graphs = {each: graph(connection, each) for each in _years(connection)}
            rows = connection.execute("SELECT title, credits FROM courses").fetchall()
        if year is None and len({frozenset(g[title]) for g in graphs.values()}) > 1:
            years = ", ".join(map(str, graphs))
            raise ToolError(f"the prerequisites of {title} have changed: give year ({years})")
        chosen = max(graphs) if year is None else year
        known = _of(graphs, chosen)
        before = ancestors(known, title)
        return {
            "course": title, "year": chosen, "direct": sorted(known[title]),
            "all": sorted(before), "number_of_all": len(before),
            "credits_of_all": sum(row["credits"] for row in rows if row["title"] in before),
            "longest_chain": chain(known, title), "source": "prerequisites",
        }  # fmt: skip

    def find_earliest_semester(self, course: CourseName, year: Year = None) -> Row:
        """Calculate in which semester a course can be taken at the earliest in a year's edition."""
        with self.database.read() as connection:
            title = find(connection, course)["title"]
            graphs = {each: graph(connection, each) for each in _years(connection)}
        if year is None:
            raise ToolError(f"the editions differ: give year ({', '.join(map(str, graphs))})")
        return {"course": title, "year": year,
                "earliest": f"semester {len(chain(_of(graphs, year), title))}",
                "source": "prerequisites"}  # fmt: skip

    def check_plan(
        self,
        semesters: Annotated[
            list[list[str]], Field(min_length=1, description="the courses of each semester")
        ],
        year: Year = None,
    ) -> Row:
        """Check a plan of study: prerequisites that come too late, and too many credits."""
        with self.database.read() as connection:
            years = _years(connection)
            if year is None:
                known = ", ".join(map(str, years))
                raise ToolError(f"rules and prerequisites differ by year: give year ({known})")
            if year not in years:
                raise ToolError(_no_year(year, years))
            plan = [[find(connection, name) for name in names] for names in semesters]
            required = graph(connection, year)
            query = "SELECT most_credits_semester AS most FROM rules WHERE year = ?"
            most = connection.execute(query, (year,)).fetchone()["most"]
        place = {row["title"]: n for n, rows in enumerate(plan, start=1) for row in rows}
        load = [sum(row["credits"] for row in rows) for rows in plan]
        return {
            "year": year,
            "broken_prerequisites": list(_broken(place, required)),
            "credits": [{"semester": n, "credits": c} for n, c in enumerate(load, start=1)],
            "most_credits_in_a_semester": most,
            "overfull_semesters": [n for n, credits in enumerate(load, start=1) if credits > most],
            "source": "prerequisites, courses and rules",
        }

    def count_course_hours(
        self,
        course: CourseName,
        year: Year = None,
        unit: Annotated[
            Literal["hours", "lessons"] | None,
            Field(description="count all in full hours, or in lessons of 45 minutes"),
        ] = None,
    ) -> Row:
        """Calculate a course's work: contact, self-study, total, and hours for each credit."""
        with self.database.read() as connection:
            found = find(connection, course)
            query = "SELECT * FROM editions WHERE code = ? ORDER BY year"
            rows = connection.execute(query, (found["code"],)).fetchall()
            rules = connection.execute("SELECT * FROM rules WHERE year = ?", (year,)).fetchone()
        years = [row["year"] for row in rows]
        if year is None:
            known = ", ".join(map(str, years))
            raise ToolError(f"the hours of {found['title']} differ by year: give year ({known})")
        if year not in years:
            raise ToolError(_no_year(year, years))
        row = rows[years.index(year)]
        if unit is None and row["contact_unit"] != "hours":
            raise ToolError(
                f"in {year} contact is counted in lessons and self-study in hours, which cannot be"
                " added: give unit='hours' or unit='lessons'"
            )
        return _work(found, row, rules, 1.0 if unit != "lessons" else LESSON)

    def count_teacher_load(
        self,
        teacher: Annotated[str, Field(description="the teacher's name")],
        year: Annotated[int, Field(description="the year of the edition, such as 2026")],
    ) -> Row:
        """Calculate a teacher's hours in a year (every group counts) against the contract."""
        with self.database.read() as connection:
            people = connection.execute("SELECT * FROM teachers ORDER BY name").fetchall()
            mine = [row for row in people if row["name"].lower() == teacher.strip().lower()]
            if not mine:
                known = ", ".join(row["name"] for row in people)
                raise ToolError(f"there is no teacher '{teacher}'; there are {known}")
            query = """SELECT c.title, e.* FROM editions e JOIN courses c ON c.code = e.code
                WHERE e.teacher_id = ? AND e.year = ? ORDER BY c.title"""
            rows = connection.execute(query, (mine[0]["id"], year)).fetchall()
        load = sum(contact_hours(row) * row["groups"] for row in rows)
        return {
            "teacher": mine[0]["name"], "year": year, "teaching_hours": round(load, 2),
            "contract_hours": mine[0]["contract_hours"],
            "over_contract_hours": round(load - mine[0]["contract_hours"], 2),
            "courses": [f"{row['title']} x {row['groups']}" for row in rows],
            "source": "editions and teachers",
        }  # fmt: skip

    def get_pass_rate(self, course: CourseName, year: Year = None) -> Row:
        """Calculate the pass rate of a course in one year, in percent of those enrolled."""
        with self.database.read() as connection:
            title = find(connection, course)["title"]
            rows = _results(connection, title)
        years = ", ".join(str(each) for each in rows)
        if year is None:
            raise ToolError(f"{title} has results of {years}: give year")
        if year not in rows:
            raise ToolError(f"{title} reported no results for {year}, only for {years}")
        return {"course": title, "year": year, **rows[year], "pass_percent": _rate(rows[year]),
                "source": "results"}  # fmt: skip

    def compare_pass_rates(self, course: CourseName) -> Row:
        """Calculate a course's pass rates of all years, and the change in percentage points."""
        with self.database.read() as connection:
            title = find(connection, course)["title"]
            rows = _results(connection, title)
        rates = [{"year": year, "pass_percent": _rate(row)} for year, row in rows.items()]
        change = rates[-1]["pass_percent"] - rates[0]["pass_percent"]
        return {"course": title, "rates": rates, "change_in_points": round(change, 2),
                "source": "results"}  # fmt: skip


def workers(world: College) -> tuple[Agent, ...]:
    """A planner, an accountant of hours, a registrar, an archivist, a writer: no shared tool."""
    return (
        worker(
            world,
            "planner",
            "knows prerequisites of courses, finds earliest semesters, checks plans of study",
            duty="You say in which order courses can be taken, in the edition of a given year.",
            does=(world.list_prerequisites, world.find_earliest_semester, world.check_plan),
        ),
        worker(
            world,
            "workload",
            "calculates the hours of courses, hours for each credit, and teachers' loads",
            duty="You count hours of work and of teaching, in one unit.",
            does=(world.count_course_hours, world.count_teacher_load, *calculating()),
        ),
        worker(
            world,
            "registrar",
            "looks up examination results and pass rates, and queries the database",
            duty="You look up what the college's database holds about courses and examinations.",
            does=(
                world.get_pass_rate,
                world.compare_pass_rates,
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


def find(connection: sqlite3.Connection, name: str) -> Row:
    """The row of a course by title or code; raises ToolError for an unknown one."""
    query = "SELECT * FROM courses WHERE lower(title) = lower(?) OR lower(code) = lower(?)"
    row: Row | None = connection.execute(query, (name.strip(), name.strip())).fetchone()
    if row is None:
        rows = connection.execute("SELECT title FROM courses ORDER BY code").fetchall()
        known = ", ".join(each["title"] for each in rows)
        raise ToolError(f"there is no course '{name}'; there are {known}")
    return row


def graph(connection: sqlite3.Connection, year: int) -> Graph:
    """What each course requires in a year, by titles."""
    titles = connection.execute("SELECT title FROM courses ORDER BY code").fetchall()
    query = """SELECT c.title, r.title AS required FROM prerequisites p
        JOIN courses c ON c.code = p.code JOIN courses r ON r.code = p.requires
        WHERE p.year = ? ORDER BY r.title"""
    rows = connection.execute(query, (year,)).fetchall()
    return {
        each["title"]: tuple(r["required"] for r in rows if r["title"] == each["title"])
        for each in titles
    }


def ancestors(required: Graph, title: str) -> frozenset[str]:
    """All that must be passed before a course, directly or indirectly."""
    direct = required[title]
    return frozenset(direct).union(*(ancestors(required, each) for each in direct))


def chain(required: Graph, title: str) -> list[str]:
    """The longest chain of courses that ends in this one, first to last."""
    before = [chain(required, each) for each in required[title]]
    return [*max(before, key=len, default=[]), title]


def contact_hours(row: Row) -> float:
    """The contact time of an edition in full hours."""
    return float(row["contact"] * (LESSON if row["contact_unit"] == "lessons" else 1))


def _broken(place: Mapping[str, int], required: Graph) -> Iterator[Row]:
    for title, semester in place.items():
        for each in required[title]:
            if place.get(each, semester) >= semester:
                when = f"semester {place[each]}" if each in place else "nowhere"
                yield {"course": title, "semester": semester, "requires": each, "planned": when}


def _work(found: Row, row: Row, rules: Row, unit: float) -> Row:
    contact, own = contact_hours(row), row["self_study_hours"]
    for_each = (contact + own) / found["credits"]
    most = rules["most_hours_a_credit"]
    return {
        "course": found["title"], "year": row["year"], "credits": found["credits"],
        "unit": "hours" if unit == 1 else "lessons", "contact": round(contact / unit, 2),
        "self_study": round(own / unit, 2), "total": round((contact + own) / unit, 2),
        "hours_for_each_credit": round(for_each, 2), "most_hours_for_each_credit": most,
        "verdict": "too much work" if for_each > most else "within the rules",
        "source": "editions and rules",
    }  # fmt: skip


def _results(connection: sqlite3.Connection, title: str) -> dict[int, Row]:
    query = """SELECT r.year, r.enrolled, r.passed FROM results r JOIN courses c ON c.code = r.code
        WHERE c.title = ? ORDER BY r.year"""
    rows = connection.execute(query, (title,)).fetchall()
    return {row["year"]: {"enrolled": row["enrolled"], "passed": row["passed"]} for row in rows}


def _rate(row: Row) -> float:
    return round(100 * float(row["passed"]) / float(row["enrolled"]), 2)


def _years(connection: sqlite3.Connection) -> list[int]:
    rows = connection.execute("SELECT year FROM rules ORDER BY year").fetchall()
    return [int(row["year"]) for row in rows]


def _of(graphs: Mapping[int, Graph], year: int) -> Graph:
    if year not in graphs:
        raise ToolError(_no_year(year, list(graphs)))
    return graphs[year]


def _no_year(year: int, years: list[int]) -> str:
    return f"there is no edition of {year}; there are {', '.join(map(str, years))}"
