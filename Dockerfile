# The command line of babelreg, for machines without Python:
#   docker build --tag babelreg . && docker run --rm --volume "$PWD:/work" --user "$(id -u)" babelreg lint
# Extras of pyproject.toml come by --build-arg EXTRAS='[recording]'.
FROM python:3.13-slim-bookworm AS build
ARG EXTRAS=""
COPY . /source
RUN python -m venv /opt/babelreg \
 && /opt/babelreg/bin/pip install --no-cache-dir --constraint /source/constraints.txt "/source${EXTRAS}"

FROM python:3.13-slim-bookworm
# `breaking` reads revisions by git. Debian removes old versions of its packages, so that none is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory /work
COPY --from=build /opt/babelreg /opt/babelreg
ENV PATH="/opt/babelreg/bin:${PATH}" HOME=/tmp
USER 65534
WORKDIR /work
ENTRYPOINT ["babelreg"]
CMD ["--help"]
