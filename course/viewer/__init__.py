"""The living switchboard: a run played step by step, on the clock that it used.

- `steps`: a trace's steps, who does each, and to which job it belongs.
- `sentences`: what happens, one sentence an event, in the order in which it happens.
- `picture`: all that is drawn of a run, worked out once as plain data: agents, jobs, cords, rows.
- `desk`: what is told of one step: messages, what of them is new to the model, tables.
- `compare`: where two runs part, and why.
- `still`: the same where no scripts run: an SVG and a table. `page`: one HTML file; `widget`: the
  same script in a notebook. `foreign`: traces that other tools wrote, or that are not whole;
  `outline`: those of many thousand steps, by level.

The scripts beside them (`viewer.js` and what it imports) draw the picture at a moment.
"""
