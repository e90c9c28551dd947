"""The stem of a word, so that "bookings", "booked" and "book" are one.

Stemming is Snowball's English stemmer (Porter2). The stems of common words are kept in a table,
which `python -m tests.policy.stems` writes: what the stemmer makes of them takes most of a second
anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

_ENDING = re.compile(r"['’](s|d|m|re|ll|ve)?$")
_IRREGULAR = dict(
    pair.split(":")
    for pair in """
    fed:feed sent:send bought:buy left:leave paid:pay broke:break broken:break lost:lose
    went:go gone:go sold:sell taught:teach found:find made:make took:take taken:take gave:give
    given:give wrote:write written:write stole:steal stolen:steal drove:drive driven:drive
    flew:fly spoke:speak spoken:speak grew:grow grown:grow kept:keep held:hold met:meet
    began:begin begun:begin spent:spend built:build lent:lend brought:bring caught:catch
    told:tell said:say led:lead hurt:hurt forgot:forget forgotten:forget knew:know known:know
    ran:run children:child people:person men:man women:woman feet:foot teeth:tooth mice:mouse
    geese:goose lives:live leaves:leave
    """.split()
)


@cache
def known_stems() -> Mapping[str, str]:
    """The stems of the words in the table, by word."""
    told = files("course").joinpath("stems.txt").read_text("utf-8").split()
    return dict(zip(told[::2], told[1::2], strict=True))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of one word, lower case, without a possessive ending."""
    bare = _ENDING.sub("", word.lower())
    bare = _IRREGULAR.get(bare, bare)
    return known_stems().get(bare) or (unknown_stem(bare) if len(bare) > 2 else bare)


def unknown_stem(bare: str) -> str:
    """What Snowball's English stemmer makes of a word."""
    import snowballstemmer  # it brings all languages along

    # A stemmer keeps state while it works, so threads must not share one; the cache pays for it.
    return str(snowballstemmer.stemmer("english").stemWord(bare))
