"""Countries: their names and the codes that forms use for them (ISO 3166-1)."""

from __future__ import annotations

COUNTRIES = dict(
    pair.split(":")
    for pair in """germany:DE france:FR sweden:SE spain:ES italy:IT portugal:PT netherlands:NL
    belgium:BE austria:AT switzerland:CH denmark:DK norway:NO finland:FI poland:PL ireland:IE
    greece:GR hungary:HU romania:RO bulgaria:BG czechia:CZ slovakia:SK slovenia:SI croatia:HR
    estonia:EE latvia:LV lithuania:LT iceland:IS luxembourg:LU malta:MT cyprus:CY turkey:TR
    ukraine:UA britain:GB england:GB canada:CA mexico:MX brazil:BR argentina:AR chile:CL
    japan:JP china:CN india:IN australia:AU singapore:SG kenya:KE nigeria:NG egypt:EG
    morocco:MA america:US""".split()
)
"""Codes by the names of countries, in lower case."""
