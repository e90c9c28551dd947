"""What a run's trace shows, read afterwards: as a picture, as text, and what went wrong in it.

- `views`: a tree of its steps, or bars along time. `sequence`: who turned to whom, as a diagram.
- `measures`: its numbers, such as the critical path and wasted tokens, and its steps as rows.
- `plan_runs`: how a plan was carried out: times and tries, what decided the end, what began too
  late or not as planned. `plan_diagram`: a plan as a Mermaid diagram.
- `diagnosis`: stragglers, wasted tries, unsaid contradictions, agents that went round in a circle,
  delegations that waited for nothing.
- `information`: who used or heard what it had not been given.
- `transcript`: an audit trail with timings. `export`: a trace for an OpenTelemetry collector.

Take a name from the module that defines it: `from course.observability.diagnosis import diagnose`.
"""
