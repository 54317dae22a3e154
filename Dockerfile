# The platform without tests. Build: docker build -t lens-bazaar .   Run: compose.yaml.

FROM python:3.11-slim AS build
COPY requirements.txt .
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt

FROM python:3.11-slim
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 LENS_VAR=/data LENS_LOG_FORMAT=json
RUN useradd --system --uid 10001 --home-dir /data --create-home lens
COPY --from=build /venv /venv
WORKDIR /srv
COPY manage.py openapi.json ./
COPY lensproject lensproject
COPY mcp_bridge mcp_bridge
COPY bazaar bazaar
COPY payments payments
COPY templates templates
USER lens
# Database, keys and logs: what must outlive the container.
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
# `manage.py migrate` comes first, once for each update: see compose.yaml.
CMD ["daphne", "-b", "0.0.0.0", "-p", "8000", "lensproject.asgi:application"]
