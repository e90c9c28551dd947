"""The reader: what a message asks of the offered tools, in stages that each fit a page.

`marks` finds typed values, `slots` reads a schema, `choices` finds enumerated values and switches,
`wordings` mends slips and compares a message's words with a tool's, `scorer` weighs all that with
trained coefficients, `pairs` holds values against parameters, `filling` fills one tool,
`matters` takes a message apart, `decision` adds
replies and says whether the request is for the reader at all, and `dialogue` reads a reply with
what was said before it. What is not taken is for the older rules (docs/model-rules.md).
"""
