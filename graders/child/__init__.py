"""What runs in the box: the student's cells, a loop on the judge's time, proxies for the rest.

Nothing here knows a scenario, a check or an answer; it may be read by whoever is judged.
"""
