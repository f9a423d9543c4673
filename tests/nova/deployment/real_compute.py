"""A libvirt of a deployment's own, and the image of a guest that uses all its memory.

libvirtd has its own /run, /etc/libvirt and /var/lib/libvirt, and its instances end with it: it
lives in namespaces of its own. So it disturbs no libvirt of the system and needs none of its users.
"""

import subprocess
from pathlib import Path

from waiting import wait_until

LIBVIRTD = """
unix_sock_dir = "{folder}/sock"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_outputs = "3:stderr"
host_uuid = "0f0e0d0c-0b0a-4908-8706-050403020100"
"""

QEMU = """
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
cgroup_controllers = []
namespaces = []
stdio_handler = "file"
"""

# The first process there: it reaps the instances, which libvirtd leaves to it.
INIT = """
set -e
for file in passwd group; do cp "/etc/$file" "$1/$file"; done
echo 'libvirt-qemu:x:64055:64055::/:/bin/false' >>"$1/passwd"
echo 'libvirt-qemu:x:64055:' >>"$1/group"
for file in passwd group; do mount --bind "$1/$file" "/etc/$file"; done
for place in /etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt /run; do
  mkdir -p "$place" "$1$place"
  mount --bind "$1$place" "$place"
done
hostname "$2"
libvirtd --config "$1/libvirtd.conf" &
wait
"""


def make_image(folder):
    """Make the guest's disk; return its path."""
    source, made, image = Path(__file__).with_name("guest.s"), folder / "guest.o", folder / "guest"
    subprocess.run(["as", "--32", "-o", made, source], check=True)
    layout = ("-m", "elf_i386", "-Ttext", "0x7c00", "--oformat", "binary")
    subprocess.run(["ld", *layout, "-o", image, made], check=True)
    with image.open("ab") as file:
        file.truncate(1 << 20)
    return image


def start_libvirt(folder, processes, host_name):
    """Start libvirtd, on a host of this name, unless it runs."""
    if processes.main_process("libvirtd") is not None:
        return
    own = folder / "libvirt"
    for name, text in (
        ("libvirtd.conf", LIBVIRTD.format(folder=own)),
        ("etc/libvirt/qemu.conf", QEMU),
        ("init", INIT),
    ):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text(text)
    (own / "sock").mkdir(exist_ok=True)
    namespaces = ("--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc")
    processes.start("libvirtd", ["unshare", *namespaces, "sh", own / "init", own, host_name])
    wait_until((own / "sock" / "libvirt-sock").exists, "libvirtd answers")
