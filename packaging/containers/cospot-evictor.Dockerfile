# The evictor service for OpenStack Nova, with cospot-nova. In a clone:
#   docker build -f packaging/containers/cospot-evictor.Dockerfile -t cospot-evictor .
#   docker run --network host -v /etc/cospot:/etc/cospot:ro -v cospot-evictor:/var/lib/cospot-evictor cospot-evictor
# The configuration must be readable for the group 10001. With packages that are made already nothing is compiled:
#   docker buildx build --build-context packages=build/packages -f packaging/containers/cospot-evictor.Dockerfile -t cospot-evictor .
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
# The user comes first, so that its number is the same in every version: the package takes the one there is.
# Debian 12 gets no new versions, only fixes: those are wanted.
# hadolint ignore=DL3008
RUN --mount=type=bind,from=packages,target=/packages \
    groupadd --system --gid 10001 cospot-evictor && \
    useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/cospot-evictor cospot-evictor && \
    apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates python3-pymysql python3-sqlalchemy \
        /packages/python3-cospot_*.deb /packages/cospot-evictor_*.deb && \
    rm -rf /var/lib/apt/lists/* && \
    install -d -m 0750 -o cospot-evictor -g cospot-evictor /var/lib/cospot-evictor
USER 10001
WORKDIR /var/lib/cospot-evictor
VOLUME /var/lib/cospot-evictor
EXPOSE 9108
ENTRYPOINT ["cospot-evictor", "--config-file", "/etc/cospot/cospot-evictor.conf"]
