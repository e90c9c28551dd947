# Switchboard. Two commands matter: `make lab` opens the course, `make test` runs every test.
# Written for GNU make 3.81 and newer, so that the make that macOS ships works too.

PYTHON ?= python3
ASK ?=
NOTEBOOK ?=
SUBMITTED ?=
ROSTER ?=
TEAMS ?=
TEMPLATE ?=
LMS ?= canvas
CHAPTER ?=
OUT ?=
EX ?=
ROOM ?=
MSG ?=
ARGS ?=
PACKAGES ?=

UV := uv==0.13.9
BIN := .venv/bin
LAB := .venv/lab
READY := .venv/ready
FIRST := /lab/tree/notebooks/index.ipynb
STUDENT := $(CURDIR)/graders/student:
# Jupyter refuses to run as root unless told so; in a container that is who one is.
ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
EXTRAS := lab voice cluster inspect local similar postgres dev
FRAMEWORKS := course/lab/frameworks/requirements.lock
WEB := web/requirements.lock
COMPILE := uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate

# Kernels, boxes and workers are many processes: what one has compiled, the others read.
unexport PYTHONDONTWRITEBYTECODE
export ASK NOTEBOOK SUBMITTED ROSTER TEAMS TEMPLATE LMS CHAPTER OUT EX ROOM MSG PACKAGES
.DEFAULT_GOAL := help
.PHONY: help lab teach test test-all try demo serve speech livekit frameworks site lite axe picture release word check doctor bench format lock clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

lab: $(LAB)  ## open the course in JupyterLab, at the page of all chapters
	@PYTHONSTARTUP="$(CURDIR)/graders/startup.py" \
	JUPYTER_CONFIG_PATH="$(STUDENT)$(CURDIR)/graders$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" \
	$(BIN)/jupyter lab --LabApp.default_url=$(FIRST) $(ROOT) $(ARGS)

teach: STUDENT :=
teach: $(READY) lab  ## the same with nbgrader: write, validate and grade by hand

test: $(READY)  ## run the tests (ROOM=voice for one room; ARGS goes to pytest)
	@$(BIN)/python -m tests $${ROOM:+--room "$$ROOM"} $(ARGS)

test-all: $(READY)  ## run the long tests too, and measure what is covered (an hour or more)
	@$(BIN)/python -m tests --long $(ARGS)

try: $(READY)  ## try one exercise while you write it (EX=3.7): its cells, contract and answers
	@[ -n "$$EX" ] || { echo "Which one? make try EX=3.7"; exit 2; }
	@$(BIN)/python -m tests.grading.one "$$EX"

demo: $(LAB)  ## answer one front-desk request in the terminal (ASK="..." gives it)
	@$(BIN)/python -m course ask $${ASK:+"$$ASK"}

serve: $(LAB)  ## serve the simulated model over HTTP on 127.0.0.1 (ARGS="--port 8080")
	@$(BIN)/python -m course serve $(ARGS)

speech: $(LAB)  ## bring what spoken calls need: weights for the recogniser, and say if flite lacks
	@$(BIN)/python -m course voice fetch
	@command -v flite >/dev/null || { echo "No voice here: apt install flite"; exit 1; }

livekit: $(READY)  ## build a LiveKit server for calls in a real room, where Go is (once, minutes)
	@$(BIN)/python -m course voice server

frameworks: $(READY)  ## install agent-framework, langgraph, openai-agents and pydantic-ai, to compare
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(FRAMEWORKS)

site: .venv/web  ## build the site into build/site, without a network (docs, chapters, public names)
	@$(BIN)/python -m web.site

lite: .venv/web  ## build the course for a browser's tab into build/lite (npm; or PACKAGES=Pyodide's folder)
	@$(BIN)/python -m web.lite $${PACKAGES:+--pyodide "$$PACKAGES"}

axe: $(READY)  ## bring the program that looks for barriers in the pages, for the browser tests
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
		--require-hashes --requirement tests/browser/axe.txt

picture: $(READY)  ## draw README's moving picture anew (docs/playing.svg)
	@$(BIN)/python -m tests.browser.moving

release: $(READY)  ## make notebooks/ from solutions/ (both committed)
	@$(BIN)/python -m graders release

word: $(READY)  ## commit a change of a chapter's source and its release (MSG="Say where rows end")
	@[ -n "$$MSG" ] || { echo 'What changed? make word MSG="Say where rows end"'; exit 2; }
	@git commit --quiet --message "$$MSG" -- solutions docs graders/exercises
	@$(BIN)/python -m graders release
	@git add notebooks
	@git diff --cached --quiet -- notebooks || git commit --quiet --message "Release: $$MSG" -- notebooks

check: $(READY)  ## judge one notebook in a box (NOTEBOOK=..., ARGS="--feedback page.html")
	@[ -n "$$NOTEBOOK" ] || { echo "Which one? make check NOTEBOOK=path/to/it.ipynb"; exit 2; }
	@$(BIN)/python -m graders check $(ARGS) -- "$$NOTEBOOK"

class: $(READY)  ## from an LMS's download to its file (SUBMITTED=, ROSTER=, TEAMS=, TEMPLATE=, LMS=, CHAPTER=)
	@[ -n "$$SUBMITTED" ] || { echo "Which download? make class SUBMITTED=download.zip ROSTER=roster.csv"; exit 2; }
	@$(BIN)/python -m graders class $${ROSTER:+--roster "$$ROSTER"} $${TEAMS:+--groups "$$TEAMS"} \
		$${TEMPLATE:+--lms "$$LMS" --template "$$TEMPLATE"} $${CHAPTER:+--chapter "$$CHAPTER"} \
		--grade="$(ARGS)" -- "$$SUBMITTED"

student-repo: $(READY)  ## a copy for students, without solutions and tests (OUT=folder)
	@[ -n "$$OUT" ] || { echo "Where to? make student-repo OUT=../for-students"; exit 2; }
	@$(BIN)/python -m graders student-repo "$$OUT"

doctor: $(READY)  ## say which boxes for other people's code work here, and prove it
	@$(BIN)/python -m graders doctor

bench: $(READY)  ## measure what this kit costs, and print it as a table
	@$(BIN)/python -m tests.benchmarks $(ARGS)

format: $(READY)  ## lay the code out and sort its imports
	@$(BIN)/ruff check --select I --fix --quiet .
	@$(BIN)/ruff format .

lock: $(READY)  ## write the locks again from pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check "$(UV)"
	@$(BIN)/$(COMPILE) $(ARGS) $(EXTRAS:%=--extra %) --output-file requirements.lock
	@$(BIN)/$(COMPILE) --extra frameworks --constraint requirements.lock --output-file $(FRAMEWORKS)
	@$(BIN)/$(COMPILE) --extra web --constraint requirements.lock --output-file $(WEB)
	@$(BIN)/$(COMPILE) --extra lab --extra voice --constraint requirements.lock --output-file binder/requirements.txt

clean:  ## remove what the commands made, but keep grades, progress and your work
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis trace.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What students need is what Binder installs; who tests, teaches or judges needs the rest as well.
$(LAB): binder/requirements.txt pyproject.toml
	@command -v "$(PYTHON)" >/dev/null || \
		{ echo "$(PYTHON) is not here: install Python 3.11 or newer, or say make PYTHON=..."; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: install a newer one and say make PYTHON=..."; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make a venv: install it (Debian: apt install python3-venv)"; exit 1; }
	@echo "Setting up .venv with $$("$(PYTHON)" --version); this takes a minute, once."
	@"$(PYTHON)" -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r binder/requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q course graders
	@touch $(LAB)

$(READY): $(LAB) requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $(READY)

.venv/web: $(READY) $(WEB)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(WEB)
	@touch .venv/web
