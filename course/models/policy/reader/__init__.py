"""The reader: what a message asks of the offered tools, in stages that each fit a page.

`slots` reads a schema, `choices` and `options` find enumerated values and switches, `pairs` holds
typed values against parameters and weighs them with trained coefficients (`documents` does so for
the fields of a text), `filling` fills one tool, `matters` takes a message apart, `decision` adds
replies and older messages, and `dialogue` reads a reply with what was said before it.
"""
