"""The reader: what a message asks of the offered tools, in stages that each fit a page.

`marks` finds typed values, `slots` reads a schema, `choices` finds enumerated values and switches,
`wordings` mends slips and compares a message's words with a tool's, `scorer` weighs all that with
trained coefficients, `filling` fills one tool, `matters` takes a message apart, and `decision` says
whether what was understood is taken. Where it is not, the older rules answer (docs/model-rules.md).
"""
