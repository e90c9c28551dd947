"""Tasks with known answers: where they come from, how they are judged, and a model that knows them.

- `bench`: a bench by its name, such as "calls:1-5"; a task that is open; entering one of your own.
- `generated`, `public`: benches made by a seed, from public data; `town_hall`: forty desks and
  requests for them. `worlds`: of a domain's requests; `visits`, `calls_for_help`, `orders`: of the
  front desk, support and the drive-through.
- `outcome`: what a run is worth: scored, failed, or excluded with a reason.
- `oracle`: a competent model that is blind to the pattern, with flaws on purpose.

Take a name from the module that defines it: `from course.benches.bench import make`.
"""
