"""The two tables of an experiment: `runs`, a row for each run, and `spans`, a row for each step.

`RUNS` and `SPANS` say of every column what it is, its type and its unit. Parquet files, CSV files
and data frames all have these columns, in this order.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from course.errors import ConfigurationError

Kind = Literal["string", "int64", "float64", "bool"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it is called, its type (empty cells are allowed in all), unit and meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


def _columns(text: str) -> tuple[Column, ...]:
    """Columns out of lines "name | type | unit | meaning"."""
    rows = ([part.strip() for part in line.split("|")] for line in text.strip().splitlines())
    return tuple(Column(name, kind, unit, told) for name, kind, unit, told in rows)  # type: ignore[arg-type]


RUNS = _columns("""
run_id          | string  |         | names the run: a hash of everything that decides how it goes
experiment      | string  |         | the experiment's name
arm             | string  |         | what is compared: every axis but task, seed and epoch, as text
pattern         | string  |         | how the agents work together
policy          | string  |         | what is done about failed calls and tasks: none, repeat, ...
bench           | string  |         | where the tasks come from
task_id         | string  |         | the task; with seed and epoch it pairs the runs of two arms
cluster         | string  |         | the group whose tasks are alike, for clustered errors
level           | int64   |         | the task's difficulty by design, from 1; 0 where it has none
world_seed      | int64   |         | which world the task was put to
seed            | int64   |         | of every draw of the run: latency, faults, flaws
epoch           | int64   |         | which repetition of the same task and seed, from 0
model           | string  |         | who answers: oracle, simulated, or the endpoint's model
profile         | string  |         | assumptions about speed, limits and prices
fault_model     | float64 | share   | model calls that fail by design
fault_tool      | float64 | share   | tool calls that fail by design
fault_kind      | string  |         | which of the menu of faults
flaw            | string  |         | how the oracle was made worse on purpose
deadline_s      | float64 | seconds | when an answer was due; empty without a deadline
load            | int64   | runs    | requests that share a service, with this one
gap_s           | float64 | seconds | mean time from one arrival to the next; 0 is all at once
agents          | int64   |         | specialists that the pattern had at hand
status          | string  |         | scored, failed (the run broke) or excluded (see why)
success         | bool    |         | everything that was needed is there; empty where excluded
share           | float64 | share   | of what was needed, how much reached the answer and the world
right           | int64   | items   | needed things that are there
needed          | int64   | items   | things that a right answer holds
wrong           | int64   | items   | things said that nobody found
why             | string  |         | in a line: what is missing, what broke, why it was excluded
stop_reason     | string  |         | the limit that ended the run; empty where it ended by itself
latency_s       | float64 | seconds | from the request to the answer
critical_path_s | float64 | seconds | model and tool calls on the longest chain of waiting
work_s          | float64 | seconds | model and tool calls, all added up
parallelism     | float64 | ratio   | work_s / latency_s
first_answer_s  | float64 | seconds | until the first needed thing was found; empty if none was
calls           | int64   | calls   | model calls that were wanted
requests        | int64   | calls   | model calls that were sent, with every attempt
retries         | int64   | calls   | requests - calls
tool_calls      | int64   | calls   | of tools
tool_errors     | int64   | calls   | tool calls that ended in an error
handoffs        | int64   | moves   | the conversation changed hands
delegations     | int64   | tasks   | pieces of work given to somebody else
loops           | int64   | moves   | handoffs back to somebody who had the conversation before
tokens_in       | int64   | tokens  | read by models
tokens_out      | int64   | tokens  | written by models
tokens_waste    | int64   | tokens  | read and written for work that was done again or given up
cost_usd        | float64 | USD     | at the profile's prices
context_max     | int64   | tokens  | the longest prompt of the run
trace_sha       | string  |         | hash of the run's trace: equal means equal to the byte
""")

SPANS = _columns("""
run_id          | string  |         | the run that the step belongs to
span            | int64   |         | the step's number in its run, from 0, in order of beginning
parent          | int64   |         | the step that it stands in; empty for the outermost
operation       | string  |         | chat, execute_tool, invoke_agent, plan, dispatch, handoff, ...
name            | string  |         | what it was done with: a model, a tool, an agent
agent           | string  |         | the agent that did it
role            | string  |         | lead, worker, route, plan, synthesis; empty where none is told
start_s         | float64 | seconds | since the run began
end_s           | float64 | seconds | since the run began
queue_s         | float64 | seconds | waited for a place or a rate limit before it began
ttft_s          | float64 | seconds | until the first token; empty where nobody streamed
attempt         | int64   |         | which attempt of a call it was, from 1; empty for other steps
status          | string  |         | ok or error
error_type      | string  |         | what kind of error; empty where there was none
fault           | string  |         | the fault by design that struck; empty where none did
tokens_in       | int64   | tokens  | read by the model, in this step alone
tokens_out      | int64   | tokens  | written by the model, in this step alone
""")


def need(*modules: str, extra: str = "lab") -> Any:
    """Libraries that only the lab needs, imported where they are needed: the last one.

    Raises ConfigurationError: one is not installed; the message has the command that does it.
    """
    for module in modules:
        try:
            found = importlib.import_module(module)
        except ImportError:
            raise ConfigurationError(
                f"{module.partition('.')[0]} is missing, which the lab needs:"
                f" pip install 'switchboard-course[{extra}]'"
            ) from None
    return found


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column] = RUNS) -> Any:
    """Rows as a pandas data frame with these columns and their types."""
    return table(rows, columns).to_pandas(types_mapper=pandas_type)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column] = RUNS) -> Any:
    """Rows as a pyarrow table with these columns and their types; what a row lacks is empty.

    Raises ConfigurationError: pandas or pyarrow are missing.
    """
    return need("pyarrow").Table.from_pylist(list(rows), schema=schema(tuple(columns)))


@cache
def schema(columns: tuple[Column, ...]) -> Any:
    """The columns as a pyarrow schema."""
    arrow = need("pyarrow")
    kinds = {"bool": arrow.bool_()}
    return arrow.schema(
        [(each.name, kinds.get(each.kind) or getattr(arrow, each.kind)()) for each in columns]
    )


def pandas_type(arrow_type: Any) -> Any:
    """The type in a data frame: one that knows empty cells, so that 3 does not become 3.0."""
    pandas = need("pandas")
    return {
        "int64": pandas.Int64Dtype(),
        "bool": pandas.BooleanDtype(),
        "string": pandas.StringDtype(),
    }.get(str(arrow_type))
