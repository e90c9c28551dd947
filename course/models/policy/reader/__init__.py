"""The reader: what a message asks of the offered tools, in stages that each fit a page.

`marks` finds typed values, `slots` reads a schema, `choices` finds enumerated values and switches,
`scorer` weighs marks against slots and messages against tools with trained coefficients,
`filling` fills one tool, and `matters` takes a message apart and decides what is asked.
"""
