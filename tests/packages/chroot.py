"""A Debian in a folder, in which packages are installed and used as on a fresh machine."""

import hashlib
import os
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/root",
    "DEBIAN_FRONTEND": "noninteractive",
}
# Mounts vanish with the process, and whatever it leaves running ends with it.
_ENTER = """
root=$1 user=$2; shift 2
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do
  mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2
done
shift
exec chroot --userspec="$user" "$root" "$@"
"""


# Starts a service, waits for the word, tells it to stop, and says how it ended.
_START_AND_STOP = """
word=$1; shift
log=$(mktemp)
"$@" >"$log" 2>&1 &
for _ in $(seq 600); do
  if grep -q "$word" "$log"; then break; fi
  sleep 0.1
done
kill -TERM $!
wait $!
echo "exit $?"
cat "$log"
"""


@dataclass(frozen=True)
class System:
    """A release of Debian or of a relative, from its own mirror by its own keys."""

    suite: str
    #: A mirror with its components, as mmdebstrap takes them; Debian's needs none.
    source: tuple[str, ...] = ()
    #: The package that has its keys, where Debian has none, with its SHA-256.
    keys: tuple[str, str] | None = None

    def keyring(self, folder: Path) -> list[str]:
        """Return the option of mmdebstrap that names its keys, which go into a folder."""
        if self.keys is None:
            return []
        url, expected = self.keys
        with urllib.request.urlopen(url, timeout=60) as answer:
            package = answer.read()
        assert hashlib.sha256(package).hexdigest() == expected, f"{url} has changed"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "keys.deb").write_bytes(package)
        subprocess.run(["dpkg-deb", "-x", folder / "keys.deb", folder], check=True)
        return [f"--keyring={folder}/usr/share/keyrings/ubuntu-archive-keyring.gpg"]


DEBIAN_12 = System("bookworm")
_UBUNTU = "http://archive.ubuntu.com/ubuntu"
UBUNTU_24_04 = System(
    "noble",
    (_UBUNTU, "--components=main,universe"),
    (
        f"{_UBUNTU}/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb",
        "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8",
    ),
)


class Chroot:
    """A Debian below the folder `root`; `mounts` has folders from here, and where they go."""

    def __init__(self, root: Path, mounts: dict[Path, str]):
        self.root = root
        self.mounts = dict(mounts)

    @classmethod
    def make(cls, root: Path, archives: Path, system: System = DEBIAN_12):
        """Make the least system that can install packages, with Python."""
        archives.mkdir(parents=True, exist_ok=True)
        # In a name space of its own, so that no mount stays if it is interrupted.
        subprocess.run(
            ["unshare", "--mount", "mmdebstrap", "--mode=root", "--variant=minbase",
             "--include=apt,python3,ca-certificates", "--skip=cleanup/apt,check/empty",
             *system.keyring(root.with_name(f"{root.name}.keys")),
             system.suite, root, *system.source],
            check=True, stdout=subprocess.DEVNULL, timeout=900,
        )  # fmt: skip
        chroot = cls(root, {archives: "/var/cache/apt/archives"})
        chroot.write(
            "/etc/apt/apt.conf.d/keep", 'Binary::apt::APT::Keep-Downloaded-Packages "true";\n'
        )
        # Nothing of it has to survive a power failure; no service starts.
        chroot.write("/etc/dpkg/dpkg.cfg.d/fast", "force-unsafe-io\n")
        chroot.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", mode=0o755)
        return chroot

    def copy(self, root: Path):
        subprocess.run(["cp", "-a", self.root, root], check=True)
        return Chroot(root, self.mounts)

    def path(self, inside: str) -> Path:
        return self.root / inside.lstrip("/")

    def write(self, inside: str, text: str, *, mode: int = 0o644) -> None:
        path = self.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def run(self, *command, user="0:0", cwd="/root", check=True, timeout=600, **environment):
        """Run a command; both of its streams are in `stdout`."""
        mounts = [part for pair in self.mounts.items() for part in map(str, pair)]
        variables = [f"{name}={value}" for name, value in (_ENVIRONMENT | environment).items()]
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", _ENTER, "sh",
             self.root, user, *mounts, "--", "env", "-i", "-C", cwd, *variables, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=timeout, check=False,
        )  # fmt: skip
        if check:
            assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-4000:]}"
        return done

    def output(self, *command, **options) -> str:
        return self.run(*command, **options).stdout

    def start_and_stop(self, *command, word: str, **options) -> str:
        """Run a service until it says `word`; return `exit CODE` and what it said."""
        return self.output("sh", "-c", _START_AND_STOP, "sh", word, *command, **options)

    def install(self, *packages: str) -> None:
        self.run(
            "apt-get", "install", "-q", "-y", "--no-install-recommends", *packages, timeout=1500
        )

    def find(self, name: str) -> list[str]:
        """Return the paths of all files of that name; what man has formatted is man's own."""
        found = self.output(
            "find", "/", "(", "-path", "/proc", "-o", "-path", "/var/cache/man", "-o", "-path",
            "/var/cache/apt/archives", ")", "-prune", "-o", "-name", name, "-print",
        )  # fmt: skip
        return found.split()


def why_impossible() -> str:
    """Say why there can be no such Debian here; empty: there can."""
    if os.geteuid() != 0:
        return "only root can make a Debian in a folder"
    for tool in ("mmdebstrap", "unshare"):
        if subprocess.run(["which", tool], capture_output=True, check=False).returncode != 0:
            return f"{tool} is not installed"
    return ""
