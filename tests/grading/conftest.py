"""The judge's bounds that come sooner are for whole answers, too."""

from tests.judge.conftest import few_requests as few_requests
from tests.judge.conftest import impatient as impatient
