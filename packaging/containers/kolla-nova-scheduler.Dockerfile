# nova-scheduler of Kolla with cospot in its Python (docs/nova/install.md#kolla-ansible). In a clone, with a wheel for that Python:
#   docker buildx build --build-context wheels=wheels --build-arg IMAGE=quay.io/openstack.kolla/nova-scheduler:TAG \
#     -f packaging/containers/kolla-nova-scheduler.Dockerfile -t registry.example/kolla/nova-scheduler:TAG-cospot .
ARG IMAGE=quay.io/openstack.kolla/nova-scheduler:2026.1-debian-trixie
FROM ${IMAGE}
USER 0
# Of the wheels pip takes the one for this Python, and says so if there is none. It does not look elsewhere: no registry has
# cospot. That the module loads shows that it fits this image's libraries.
RUN --mount=type=bind,from=wheels,target=/wheels \
    /var/lib/kolla/venv/bin/python3 -m pip install --no-cache-dir --no-index --no-deps --find-links /wheels cospot && \
    /var/lib/kolla/venv/bin/python3 -c "import cospot"
# As Kolla's own file ends; the number is a setting of Kolla's.
# hadolint ignore=DL3066
USER nova
