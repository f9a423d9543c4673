# The program cospot, with the Python package for policies and workloads written in Python. In a clone:
#   docker build -f packaging/containers/cospot.Dockerfile -t cospot .
#   docker run --rm -v "$PWD:/work" cospot compare sweep.yaml
# With packages that scripts/build-deb.sh, or a release, has made already nothing is compiled:
#   docker buildx build --build-context packages=build/packages -f packaging/containers/cospot.Dockerfile -t cospot .
FROM debian:12-slim AS build
WORKDIR /source
COPY scripts/install-dependencies.sh scripts/
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev file && \
    scripts/install-dependencies.sh
COPY . .
RUN scripts/build-deb.sh -o /packages

FROM scratch AS packages
COPY --from=build /packages /

FROM debian:12-slim
# Debian 12 gets no new versions, only fixes: those are wanted.
# hadolint ignore=DL3008
RUN --mount=type=bind,from=packages,target=/packages \
    apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates /packages/cospot_*.deb /packages/python3-cospot_*.deb && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --uid 10001 --no-create-home --home-dir /work cospot && \
    install -d -o cospot -g cospot /work
USER 10001
WORKDIR /work
ENTRYPOINT ["cospot"]
CMD ["help"]
