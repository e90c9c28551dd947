"""Experiments that compare patterns, and everything that reads traces and measures.

An experiment (`spec`) names patterns (`patterns`), tasks (`benches`, made in `generated`, `worlds`
and `public`), a model (`oracle`) and faults (`faults`). `one` plays a run, `sweep` all of
them through `executors` into a folder (`store`, `tables`); `outcome` says what a run is worth.

- `plan_runs`: how a plan was carried out, out of its trace: each task's times and tries, what
  decided the end, what began too late or not as planned.
- `diagnosis`: what went wrong in a run: stragglers, wasted tries, unsaid contradictions, agents
  that went round in a circle, delegations that waited for nothing.
- `information`: who used or heard what it had not been given: `unshown`, `leaks`.
- `coverage`: what of the tasks' results an answer has, and how much of it is only copied.
- `calibration`: what a classifier's confidence is worth, on sentences it did not learn from.
- `routing_quality`: how often a router is right, at what price, and what happens as the list of
  specialists grows.
- `plan_diagram`: a plan as a Mermaid diagram.
- `views`: a trace as text, a tree of its steps or bars along time: `tree`, `gantt`.
- `export`: sends a trace to an OpenTelemetry collector.

Experiments, from a question to a figure with an interval (`docs/lab.md`):

- `spec`, `benches`, `patterns`, `oracle`, `faults`, `sweep`, `executors`: what is run, and how.
- `store`, `tables`: a folder of results, and what its columns mean.
- `stats`, `figures`, `span_figures`, `report`: paired comparisons, drawn, as one HTML file.
- `inspect_export`: a folder of results as logs of inspect_ai.
- `reproductions`, `call_counts`, `routing_curves`: published figures, measured again.

Nothing below imports from here. Take a name from the module that defines it:
`from course.lab.diagnosis import diagnose`.
"""
