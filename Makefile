# Two commands matter: `make run` and `make test`. What they do stands in manage.py demo and tests/run.py.

# The first of these that is 3.11 or newer.
NEW_ENOUGH = $(shell $(1) -c 'import sys; sys.version_info >= (3, 11) and print("$(1)")' 2>/dev/null)
PYTHON = $(or $(call NEW_ENOUGH,python3.11),$(call NEW_ENOUGH,python3),$(error Python 3.11 or newer is needed: \
  there is no python3.11, and python3 is "$(shell python3 --version 2>&1)"))

VIRTUALENV = $(PYTHON) -I lensproject/virtualenv.py

.PHONY: run test check fresh format lock

# The platform with a demo catalogue, until Ctrl-C.
run:
	$(VIRTUALENV)
	.venv/bin/python manage.py demo

# Everything: the checks, then the suite on SQLite, then the suite on PostgreSQL.
test:
	$(VIRTUALENV) --dev
	.venv/bin/python -m tests.run check sqlite postgresql

# Format, lint, types, layers, migrations, the OpenAPI file, the docs.
check:
	$(VIRTUALENV) --dev
	.venv/bin/python -m tests.run check

# Forget the database, the keys and the logs of `make run`.
fresh:
	rm -rf var

format:
	$(VIRTUALENV) --dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# Write the requirements files anew from pyproject.toml.
lock:
	$(VIRTUALENV) --dev
	.venv/bin/uv pip compile pyproject.toml $(LOCK) -o requirements.txt
	.venv/bin/uv pip compile pyproject.toml --group dev $(LOCK) -o requirements-dev.txt

LOCK = --quiet --python-version 3.11 --generate-hashes --no-header --no-annotate
