#!/usr/bin/env python3
"""Makes what the Debian packages hold and the build does not: a folder for each, as /usr is.

Compressed manual pages and changelogs; the licences; the Python package's metadata with its entry
points, and its commands, from pyproject.toml.
"""

import argparse
import email.utils
import gzip
import os
import pathlib
import shutil
import sys
import time

import tomllib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {"program": "cospot", "python_package": "python3-cospot", "evictor": "cospot-evictor"}
MAINTAINER = "The cospot maintainers <maintainers@users.noreply.cospot.example>"

# What lintian would warn of without reason, by component: the reason and the tag.
OVERRIDES = {
    "program": [],
    "python_package": [
        (
            "CPack's own script, for a library that is opened by its path",
            "maintscript-calls-ldconfig *",
        )
    ],
    "evictor": [
        (
            "It holds passwords for the group of the service alone",
            "non-standard-file-perm 0640 != 0644 [etc/cospot/cospot-evictor.conf]",
        )
    ],
}
NOT_IN_DEBIAN = ("Not in Debian, so no bug asks for it", "initial-upload-closes-no-bugs *")

COMMAND = """\
#!/usr/bin/python3
import sys

from {module} import {function}

sys.exit({function}())
"""


def write(path, text, *, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def write_compressed(path, text):
    """Write the same bytes whenever the text is the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    path.chmod(0o644)


def changelog(version):
    date = email.utils.formatdate(float(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    return (
        f"cospot ({version}) unstable; urgency=medium\n\n"
        "  * What changed: /usr/share/doc/cospot/changelog.gz of the package cospot.\n\n"
        f" -- {MAINTAINER}  {date}\n"
    )


def copyright_file():
    """Return the licence of cospot, and those of the libraries that its reports hold."""
    assets = SOURCE / "sim_harness" / "report" / "assets" / "vendor" / "LICENSE"
    return (
        "cospot is Copyright the cospot maintainers, and licensed under the Apache License,\n"
        "version 2.0: /usr/share/common-licenses/Apache-2.0 on Debian systems.\n\n"
        "The reports of cospot hold these libraries:\n\n" + assets.read_text()
    )


def requirements(project):
    yield from (f"Requires-Dist: {need}" for need in project["dependencies"])
    for extra, needs in project["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}"
        yield from (f'Requires-Dist: {need} ; extra == "{extra}"' for need in needs)


def metadata(project, version):
    head = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": version,
        "Summary": project["description"],
        "License": project["license"]["text"],
        "Requires-Python": project["requires-python"],
    }
    return "\n".join(
        [*(f"{key}: {value}" for key, value in head.items()), *requirements(project), ""]
    )


def entry_points(project):
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "\n".join(
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()), "")
    )


def write_python_package(root, version):
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    # The program of the package cospot stands for the command of that name.
    commands = {name: place for name, place in project["scripts"].items() if name != "cospot"}
    info = root["python_package"] / f"lib/python3/dist-packages/cospot-{version}.dist-info"
    write(info / "METADATA", metadata(project, version))
    write(info / "INSTALLER", "debian\n")
    write(info / "entry_points.txt", entry_points({**project, "scripts": commands}))
    for name, place in commands.items():
        module, function = place.split(":")
        package = root["evictor" if name == "cospot-evictor" else "python_package"]
        write(package / "bin" / name, COMMAND.format(module=module, function=function), mode=0o755)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--release", required=True)
    parser.add_argument("--to", required=True, type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.to, ignore_errors=True)
    root = {component: options.to / component for component in PACKAGES}
    for component, package in PACKAGES.items():
        documents = root[component] / "share/doc" / package
        write(documents / "copyright", copyright_file())
        full_version = f"{options.version}-{options.release}"
        write_compressed(documents / "changelog.Debian.gz", changelog(full_version))
        overrides = [NOT_IN_DEBIAN, *OVERRIDES[component]]
        write(
            root[component] / "share/lintian/overrides" / package,
            "".join(f"# {reason}.\n{package}: {tag}\n" for reason, tag in overrides),
        )
    shell = options.build / "shell"
    program = root["program"]
    write_compressed(program / "share/man/man1/cospot.1.gz", (shell / "cospot.1").read_text())
    write(program / "share/zsh/vendor-completions/_cospot", (shell / "_cospot").read_text())
    write_compressed(
        program / "share/doc/cospot/changelog.gz", (SOURCE / "CHANGELOG.md").read_text()
    )
    # Where people look for them on Debian.
    (program / "share/doc/cospot/examples").symlink_to("../../cospot/examples")
    write_python_package(root, options.version)
    # Where the program looks for the package (late_python_policies.cpp).
    link = root["python_package"] / "lib/cospot/python/cospot"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../python3/dist-packages/cospot")
    for component, page in (("python_package", "cospot-nova.1"), ("evictor", "cospot-evictor.8")):
        folder = root[component] / f"share/man/man{page[-1]}"
        write_compressed(folder / f"{page}.gz", (SOURCE / "packaging/man" / page).read_text())


if __name__ == "__main__":
    sys.exit(main())
