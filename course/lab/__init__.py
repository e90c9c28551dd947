"""Experiments that compare patterns, from a question to a figure with an interval (docs/lab.md).

- `spec`, `patterns`: what is compared, on which benches (`course.benches`), under which
  conditions.
- `one`, `sweep`: a run, and all runs, whoever plays them (`course.executors`).
- `store`, `tables`: a folder of results, and what its columns mean.
- `figures`, `breakdowns`, `report`: paired comparisons (`course.evaluation.stats`), drawn, as one
  HTML file.
- `inspect_export`: a folder of results as logs of inspect_ai.

Nothing below imports from here. Take a name from the module that defines it:
`from course.lab.spec import Experiment`.
"""
