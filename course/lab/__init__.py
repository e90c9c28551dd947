"""Experiments that compare patterns, from a question to a figure with an interval (docs/lab.md).

- `spec`, `patterns`, `faults`: what is compared, on which benches, under which conditions.
- `one`, `sweep`, `executors`: a run, all runs, and who plays them.
- `store`, `tables`: a folder of results, and what its columns mean.
- `stats`, `figures`, `span_figures`, `report`: paired comparisons, drawn, as one HTML file.
- `inspect_export`: a folder of results as logs of inspect_ai.

Nothing below imports from here. Take a name from the module that defines it:
`from course.lab.spec import Experiment`.
"""
