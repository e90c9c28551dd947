"""Mutants of the reference solutions that no check kills, and why that is right.

Each is known by its exercise, its operator and how the changed line begins.
"""

Survivor = tuple[str, str, str]

WORDS = "the same behaviour in other words"
NONE_THERE = "what is said when an agent has no tools at all is left open"
NOBODY = "never said: a supervisor that may ask none of its workers cannot be made"
BEYOND = "a slice beyond the end is shorter than the one before it, so it never equals it"
ASKED_FOR = "in each of these traces a message asked for the delegations"
IN_TRACE = "what stands in the trace is left open: the exercise asks for the plan"
WHO_ASKS = "who asks, and for the how-manieth time, is told to the simulated model alone"
NO_JSON = "an answer without text is no JSON, whatever stands for it"
ASKED_ONCE = "the model is asked at least once, and then both have a value"
WAITS_SEEN = "what stands in the trace is left open: the exercise asks for the calls and the waits"
WORDS_SEEN = "what stands in the trace is left open: the exercise asks for the words"
NOTED = "what stands in the trace is left open: the exercise asks for what comes back"
WHICH_LEVEL = "the level is told to the trace and to the simulated model's draws alone"
TOLD = "what the task is called and what its model is told is left open"
TIME_PASSES = "between two of these moments some time passes in every call"
PAIRED = "both lists are made of the same things, so they are as long as each other"
NO_TASKS = "without tasks none is decisive, whatever is usual"
SELF = "its own name is no worker's, so it is refused all the same"
SAME_CONDITIONS = "all runs have the same conditions, in the same order"
HOW_IT_ENDED = (
    "how a call ended is remembered beside the message; the exercise asks for the message"
)

STILL_RIGHT: dict[Survivor, str] = {
    ("1.2", "condition", "answer = tool_message("): HOW_IT_ENDED,
    ("1.2", "constant", "answer = tool_message("): HOW_IT_ENDED,
    ("1.2", "constant", "step.fail("): (
        "what kind of error a span names is left open: the exercise asks for the words of the error"
    ),
    ("1.2", "constant", "known = "): NONE_THERE,
    ("1.2", "last_left_out", "known = "): NONE_THERE,
    ("1.5", "constant", "raise ModelError("): WORDS,
    ("13.1", "constant", "return Task[Callback]("): TOLD,
    ("13.4", "constant", "questions = "): WORDS,
    ("13.5", "swap", "marks += "): TIME_PASSES,
    ("1.5", "constant", "call = calls.setdefault("): (
        "the id that a call begins with is replaced by that of its first piece"
    ),
    ("2.1", "constant", "seen = state.model_dump("): (
        "what is no JSON yet becomes JSON in the next line"
    ),
    ("2.5", "constant", "raise ValueError("): WORDS,
    ("3.2", "constant", "answers.append(tool_message("): HOW_IT_ENDED,
    ("3.2", "constant", "made, done = "): "never read: the first handoff takes its place",
    ("3.2", "last_left_out", "results = iter("): (
        "no call of a handoff is among these; the tools that an error lists are left open"
    ),
    ("3.4", "constant", "asked.append("): "any text will do, as long as it is the same each time",
    ("3.5", "constant", "1"): f"{BEYOND}; and an agent never hands over to itself",
    ("3.5", "lower", "2"): BEYOND,
    ("4.1", "deleted", "if name == boss.name"): SELF,
    ("4.1", "deleted", "raise ToolError(f\"you are '"): SELF,
    ("4.1", "constant", "known = "): NOBODY,
    ("4.1", "last_left_out", "known = "): NOBODY,
    ("4.2", "constant", "'switchboard.calls'"): "an attribute that the exercise does not ask for",
    ("4.5", "first_left_out", "late = "): "when the time is over, no other error is on its way",
    ("4.6", "last_left_out", "siblings = "): "no delegation has ended before it begins itself",
    ("5.5", "constant", "stop = Stop("): "how the stop of the failure is worded is left open",
    ("5.6", "deleted", "if task.operation != "): "no other span has a person's words",
    ("6.3", "first_left_out", "here = max("): (
        "what waits for another task never has the longest chain behind it"
    ),
    ("6.4", "deleted", "plan: "): ASKED_ONCE,
    ("6.4", "deleted", "found: "): ASKED_ONCE,
    ("6.4", "deleted", "step.fail("): IN_TRACE,
    ("6.4", "constant", "step.fail("): IN_TRACE,
    ("6.4", "deleted", "step.event("): IN_TRACE,
    ("6.4", "constant", "step.event("): IN_TRACE,
    ("6.4", "deleted", "step.set("): IN_TRACE,
    ("6.4", "constant", "step.set("): IN_TRACE,
    ("6.4", "constant", "'plan'"): IN_TRACE,
    ("6.4", "constant", "'gen_ai.agent.name'"): IN_TRACE,
    ("6.4", "constant", "answer = await complete("): WHO_ASKS,
    ("6.4", "first_left_out", "plan is not None and "): "without a plan something is always found",
    ("6.4", "last_left_out", "text = "): NO_JSON,
    ("6.4", "constant", "text = "): NO_JSON,
    ("6.5", "first_left_out", "plans = "): "only the span of a plan holds one",
    ("6.5", "lower", "naming = "): "without a plan no task begins before one",
    ("9.4", "constant", "level = 0"): WHICH_LEVEL,
    ("9.4", "lower", "level = 0"): WHICH_LEVEL,
    ("9.4", "swap", "level += 1"): WHICH_LEVEL,
    ("9.4", "deleted", "level += 1"): WHICH_LEVEL,
    ("9.4", "constant", "level += 1"): WHICH_LEVEL,
    ("9.4", "lower", "level += 1"): WHICH_LEVEL,
    ("9.4", "constant", "'reduce'"): NOTED,
    ("9.4", "constant", "'switchboard.level'"): NOTED,
    ("9.4", "constant", "'switchboard.batches'"): NOTED,
    ("9.4", "constant", "material = replace("): PAIRED,
    ("9.5", "deleted", "step.set("): NOTED,
    ("9.5", "constant", "step.set("): NOTED,
    ("9.5", "constant", "'select'"): NOTED,
    ("9.5", "constant", "'switchboard.candidates'"): NOTED,
    ("9.5", "constant", "raise ValueError("): WORDS,
    ("9.5", "constant", "raise ModelError("): WORDS,
    ("9.5", "lower", "return candidates.index(distinct[0])"): "there is only one then",
    ("9.5", "constant", "heard = Counter("): PAIRED,
    ("9.6", "constant", "usual = median("): NO_TASKS,
    ("9.6", "lower", "usual = median("): NO_TASKS,
    ("9.6", "first_left_out", "error and "): "no try follows one that worked",
    ("8.1", "deleted", "step.fail("): WAITS_SEEN,
    ("8.1", "constant", "'wait'"): WAITS_SEEN,
    ("8.1", "constant", "'backoff'"): WAITS_SEEN,
    ("8.1", "constant", "'switchboard.repetition'"): WAITS_SEEN,
    ("8.3", "swap", "left > 0"): "what holds in the moment in which a pause ends is left open",
    ("8.2", "deleted", "step.fail("): WORDS_SEEN,
    ("8.2", "constant", "step.fail("): WORDS_SEEN,
    ("8.2", "deleted", "step.set("): WORDS_SEEN,
    ("8.2", "constant", "step.set("): WORDS_SEEN,
    ("8.2", "constant", "'refine'"): WORDS_SEEN,
    ("8.2", "constant", "'switchboard.error'"): WORDS_SEEN,
    ("8.2", "constant", "answer = await complete("): WHO_ASKS,
    ("8.2", "last_left_out", "new = "): "a message with neither words nor calls has an empty text",
    ("10.3", "last_left_out", "said = "): WORDS,
    ("10.3", "constant", "said = "): WORDS,
    ("10.3", "constant", "raise PlanError("): WORDS,
    ("10.4", "constant", "raise Unavailable("): WORDS,
    ("12.2", "constant", "raise ValueError("): WORDS,
    ("12.2", "constant", "return [name for name in baseline[0]"): SAME_CONDITIONS,
    ("12.2", "lower", "return [name for name in baseline[0]"): SAME_CONDITIONS,
    ("12.3", "swap", "2.8 * math.sqrt("): "where one seed just shows it, the formula gives one too",
    ("12.3", "swap", "room <= 0"): "whether just no room is left hangs on how the sum is rounded",
}
"""They do all that the exercise asks: a judge that killed one would refuse right answers."""

PASSED_OVER: dict[Survivor, str] = {
    ("1.5", "last_left_out", "reason = "): (
        "the chunk with the finish reason is the last one that has a choice"
    ),
    ("1.5", "last_left_out", "said = "): "the exercise does not tell of refusals",
    ("1.5", "last_left_out", "call['function']['arguments'] += "): (
        "a piece of arguments that is empty is an empty text here, never none"
    ),
    ("1.5", "only_once", "for choice in "): "each of these answers has one choice",
    ("1.5", "only_once", "for piece in "): "each chunk of these has a piece of one call",
    ("3.2", "deleted", "tools, handoffs = "): (
        "the judge gives what can be read twice, as a team does"
    ),
    ("4.6", "constant", "asked = max("): ASKED_FOR,
    ("4.6", "lower", "asked = max("): ASKED_FOR,
    ("5.3", "lower", "silences = 0"): (
        "how many silences are too many is tried from the start, not after a word in between"
    ),
}
"""They do less, in a case that the exercise does not tell of: it would be unfair to ask for it."""

EXPLAINED = {**STILL_RIGHT, **PASSED_OVER}


def key_of(exercise: str, operator: str, line: str) -> Survivor | None:
    """Under which key a survivor is explained; None when nobody has."""
    for number, kind, start in EXPLAINED:
        if (number, kind) == (exercise, operator) and line.startswith(start):
            return number, kind, start
    return None
