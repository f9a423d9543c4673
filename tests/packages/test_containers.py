"""What the container files do, done in a Debian as small as the image they begin with.

No image is built: the commands of the last stage run as they stand, and the entry point after them.
The stage that compiles runs scripts/build-deb.sh, as the other tests do.
"""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from container_file import read_last_stage

FOLDER = ROOT / "packaging" / "containers"
# What Debian's slim images have dpkg leave out.
SLIM = """\
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
"""


class Container:
    """A container of one file: runs what follows its entry point."""

    def __init__(self, base, packages, root, file):
        self.stage = read_last_stage(file)
        assert self.stage.image == "debian:12-slim"
        assert list(self.stage.mounts) == ["packages"]
        self.chroot = base.copy(root)
        self.chroot.write("/etc/dpkg/dpkg.cfg.d/docker", SLIM)
        self.chroot.mounts[packages] = self.stage.mounts["packages"]
        for command in self.stage.commands:
            self.chroot.run("sh", "-ec", command, timeout=1500)
        del self.chroot.mounts[packages]

    def command(self, *arguments):
        return (*self.stage.entrypoint, *(arguments or self.stage.command))

    def options(self):
        # Nobody but the owner of a volume may write elsewhere.
        return {"user": f"{self.stage.user}:{self.stage.user}", "cwd": self.stage.workdir}

    def output(self, *arguments):
        return self.chroot.output(*self.command(*arguments), **self.options())


@pytest.fixture(scope="module", params=["cospot", "cospot-evictor"])
def container(request, base, packages, scratch):
    made = Container(base, packages, scratch / "container", FOLDER / f"{request.param}.Dockerfile")
    made.name = request.param
    yield made
    shutil.rmtree(made.chroot.root)


def test_what_the_container_is_for(container):
    assert container.stage.user.isdigit(), "Kubernetes checks runAsNonRoot by the number"
    assert container.stage.user != "0"
    if container.name == "cospot":
        assert "compare" in container.output()
        example = "/usr/share/cospot/examples/python_policy/sweep.yaml"
        done = container.output("compare", example, "--db", "results.db")
        assert "Policies compared: 24 runs" in done
        return
    # The configuration that the package installs is for the group of the service.
    done = container.chroot.start_and_stop(
        *container.command(), word="started", **container.options()
    )
    assert done.startswith("exit 0\n"), done
    assert "stopping" in done
    assert "doctor" in container.chroot.output("cospot-nova", "--help")
    assert "/var/lib/cospot-evictor/audit.jsonl" in container.chroot.find("audit.jsonl")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.Dockerfile")), ids=lambda file: file.stem)
def test_the_first_stage_needs_what_there_is(file):
    text = file.read_text()
    for script in re.findall(r"scripts/[\w-]+\.sh", text):
        assert (ROOT / script).is_file()
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    needed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tops = {name.split("/")[0] for name in needed.stdout.split()}
    assert not tops & set(ignored)
