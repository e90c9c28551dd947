"""How good a system is: scores, each of one thing, on what has labels.

- `scores`: a plan, each output and the answer apart. `labelled`: plans that are known good or bad.
- `coverage`: what of the results an answer has, and how much of it is only copied.
- `calibration`: what a classifier's confidence is worth.
- `routing_quality`: how often a router is right, and what a longer list does to it.
- `stats`: two systems compared on the same tasks: paired, with intervals, power and pass^k.
- `latency`: five ways to a faster supervisor, alone and together.

Take a name from the module that defines it: `from course.evaluation.scores import evaluate`.
"""
