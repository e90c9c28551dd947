"""What judging is written in: exercises, logs, verdicts and reports, as plain data."""
