#!/usr/bin/env python3
"""Drives `cospot workload fetch` against a server of its own; nothing leaves the machine.

Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import gzip
import hashlib
import os
import pathlib
import random
import re
import socket
import ssl
import subprocess
import unittest
import unittest.mock

import range_server
from import_case import PROGRAM, ProgramCase

CONTENT = random.Random(1).randbytes(300_000)
OTHER = random.Random(2).randbytes(250_000)
NAME = "AzurePackingTraceV1.zip"


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Fetch(ProgramCase):
    """Each test has a server and a folder of its own."""

    def setUp(self):
        super().setUp()
        self.server = range_server.RangeServer({"/trace.zip": CONTENT})
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)
        self.file = self.folder / NAME

    def fetch(self, *more, url=None, dataset="azure-packing", folder=None):
        url = url or self.server.url + "/trace.zip"
        return self.run_fetch(dataset, "--to", folder or self.folder, "--url", url, *more)

    @staticmethod
    def run_fetch(*words):
        # A proxy of the environment would not reach this server.
        environment = {name: value for name, value in os.environ.items()
                       if not name.lower().endswith("_proxy")}
        command = [PROGRAM, "workload", "fetch", *words]
        return subprocess.run(command, env=environment, timeout=300, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def succeed(self, *more, **options):
        done = self.fetch(*more, **options)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def refuse(self, expected, *more, **options):
        done = self.fetch(*more, **options)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def check_complete(self, content=CONTENT):
        assert self.file.read_bytes() == content
        assert self.names() == [NAME, NAME + ".sha256"]
        record = (self.folder / (NAME + ".sha256")).read_text(encoding="utf-8")
        assert record == f"{digest(content)}  {NAME}\n"

    def break_off(self, after=100_000):
        self.server.break_after = after
        self.refuse(f"{after} bytes are kept in {self.file}.part; run the command again")
        self.server.break_after = None
        assert (self.folder / (NAME + ".part")).read_bytes() == CONTENT[:after]
        assert not self.file.exists()

    def test_complete_download(self):
        output = self.succeed()
        assert f"{self.file}: 300000 bytes, downloaded\n  SHA-256 {digest(CONTENT)}\n" in output
        self.check_complete()

    def test_second_fetch_verifies(self):
        self.succeed()
        before = len(self.server.requests)
        assert "was there, as recorded" in self.succeed()
        assert len(self.server.requests) == before
        self.file.write_bytes(OTHER)
        self.refuse(f"its SHA-256 is {digest(OTHER)}, expected {digest(CONTENT)}")
        self.file.unlink()
        self.succeed()
        self.check_complete()

    def test_interrupted_and_continued(self):
        self.break_off()
        self.server.break_after = 50_000
        self.refuse("150000 bytes are kept")
        self.server.break_after = None
        assert "continuing an earlier download" in self.succeed("--sha256", digest(CONTENT))
        ranges = [wanted for _, wanted in self.server.requests]
        assert ranges == [None, "bytes=100000-", "bytes=150000-"]
        self.check_complete()

    def test_a_part_of_any_kind_ends_as_the_file(self):
        for case, part, served, ranges in (
            ("killed before it got its name", CONTENT, CONTENT, True),
            ("longer than the file", CONTENT + b"more", CONTENT, True),
            ("changed while interrupted", CONTENT[:100_000], OTHER, True),
            ("a server without ranges", CONTENT[:100_000], CONTENT, False),
        ):
            with self.subTest(case):
                self.server.files["/trace.zip"] = CONTENT
                self.break_off()
                (self.folder / (NAME + ".part")).write_bytes(part)
                self.server.files["/trace.zip"] = served
                self.server.sends_ranges = ranges
                self.succeed()
                self.check_complete(served)
                for name in self.names():
                    (self.folder / name).unlink()

    def test_server_without_validator(self):
        self.server.sends_validator = False
        self.server.break_after = 1000
        self.refuse("1000 bytes came, which this server gives no way to continue")
        self.server.break_after = None
        self.succeed()
        assert [wanted for _, wanted in self.server.requests] == [None, None]
        self.check_complete()

    def test_changed_since_the_record(self):
        self.succeed()
        self.file.unlink()
        self.server.files["/trace.zip"] = OTHER
        self.refuse(f"the SHA-256 of what came is {digest(OTHER)}, expected {digest(CONTENT)} "
                    f"(recorded in {self.file}.sha256; remove that to accept another version)")
        assert self.names() == [NAME + ".sha256"]

    def test_wrong_digest(self):
        self.refuse("; nothing was kept", "--sha256", "0" * 64)
        assert self.names() == []
        self.refuse("--sha256: found '12', expected 64 hexadecimal digits", "--sha256", "12")
        self.succeed("--sha256", digest(CONTENT).upper())
        self.refuse("expected the same, or no record", "--sha256", "0" * 64)

    def test_file_of_unknown_origin(self):
        self.file.write_bytes(OTHER)
        self.refuse("exists, but nothing tells whether it is complete")
        assert "was there" in self.succeed("--sha256", digest(OTHER))
        self.check_complete(OTHER)

    def test_not_found_and_empty(self):
        self.refuse("/none: the server answered 404, expected the file; nothing was downloaded",
                    url=self.server.url + "/none")
        self.server.files["/empty"] = b""
        self.refuse("the server sent an empty file", url=self.server.url + "/empty")
        assert self.names() == []

    def test_redirection(self):
        self.server.redirects["/old"] = "/trace.zip"
        self.succeed(url=self.server.url + "/old")
        self.check_complete()

    def tls(self):
        """A certificate of this machine, and a server's context with it."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=local", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", "key.pem", "-out", "cert.pem"],
                       cwd=self.folder, check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.folder / "cert.pem", self.folder / "key.pem")
        return tls

    def test_certificates_of_the_environment(self):
        tls = self.tls()
        with range_server.RangeServer({"/trace.zip": CONTENT}, tls=tls) as server:
            for variable in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
                with self.subTest(variable), unittest.mock.patch.dict(
                        os.environ, {"SSL_CERT_FILE": "", "CURL_CA_BUNDLE": ""}):
                    self.refuse("certificate", url=server.url + "/trace.zip")
                    os.environ[variable] = str(self.folder / "cert.pem")
                    self.succeed(url=server.url + "/trace.zip", folder=self.folder / variable)

    def test_redirections_stay_with_tls(self):
        """From https only to https, in any number of steps; from http to either."""
        trusted = {"SSL_CERT_FILE": str(self.folder / "cert.pem"), "CURL_CA_BUNDLE": ""}
        with range_server.RangeServer({"/trace.zip": CONTENT}, tls=self.tls()) as server, \
                unittest.mock.patch.dict(os.environ, trusted):
            clear = self.server.url + "/trace.zip"
            server.redirects = {"/clear": clear, "/later": "/clear", "/safe": "/trace.zip"}
            self.server.redirects = {"/up": server.url + "/trace.zip"}
            for path in ("/clear", "/later"):
                self.refuse("redirects to an address that is not followed", url=server.url + path)
                self.refuse("redirects to an address that is not followed",
                            url=server.url.replace("https", "HTTPS") + path)
            assert self.server.requests == []
            self.succeed(url=server.url + "/safe", folder=self.folder / "safe")
            self.succeed(url=self.server.url + "/up", folder=self.folder / "up")
            assert (self.folder / "up" / NAME).read_bytes() == CONTENT

    def test_nothing_that_another_has_laid_is_written_to(self):
        """The names of an unfinished download can be foreseen, so what has them is looked at."""
        victim = self.folder / "victim"
        victim.write_bytes(b"precious")
        part = self.folder / (NAME + ".part")
        part.symlink_to(victim)
        self.refuse(f"{part}: cannot be written: it is a link")
        part.unlink()
        os.link(victim, part)
        self.refuse(f"{part}: cannot be written: it has a second name, a hard link")
        part.unlink()
        os.mkfifo(part)
        self.refuse(f"{part}: cannot be written")
        part.unlink()
        validator = self.folder / (NAME + ".part.validator")
        validator.symlink_to(victim)
        self.succeed()
        assert victim.read_bytes() == b"precious"
        assert self.names() == [NAME, NAME + ".sha256", "victim"]

    def test_validator_is_one_line_of_a_request(self):
        self.break_off()
        (self.folder / (NAME + ".part.validator")).write_bytes(b'"x"\r\nX-Injected: 1')
        self.succeed()
        assert [wanted for _, wanted in self.server.requests] == [None, None]
        self.check_complete()

    def test_every_file_of_a_dataset_that_can_be_pinned_is(self):
        """Nobody publishes the digest of the Azure trace; the rest lie in commits."""
        root = pathlib.Path(__file__).parents[2]
        source = (root / "sim_harness/data/downloads/public_datasets.cpp").read_text("utf-8")
        digests = re.findall(r'"([0-9a-f]{64})"', source)
        assert len(digests) == len(set(digests)) == 22 + 6 + 30  # cospot, eucalyptus, spot-traces
        copies = os.environ.get("COSPOT_DATA")
        if not copies:
            self.skipTest("COSPOT_DATA is not set")
        for file in pathlib.Path(copies, "azure2020-cospot").rglob("*.*"):
            content = file.read_bytes()
            content = gzip.decompress(content) if file.suffix == ".gz" else content
            assert digest(content) in digests, file

    def test_no_network(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        self.refuse("is there a network? nothing was downloaded",
                    url=f"http://127.0.0.1:{port}/trace.zip")
        self.refuse("is there a network?", url="http://no-such-host.invalid/trace.zip")
        self.refuse("is not an address that can be fetched", url="file:///etc/passwd")
        assert self.names() == []

    def test_folders(self):
        (self.folder / "taken").write_bytes(b"")
        self.refuse("taken/AzurePackingTraceV1.zip.part: cannot be written",
                    folder=self.folder / "taken")
        self.succeed(folder=self.folder / "a" / "b")
        assert (self.folder / "a" / "b" / NAME).read_bytes() == CONTENT

    def test_folders_that_nothing_came_into_do_not_stay(self):
        made = self.folder / "a" / "b"
        for refused in ("azure-packing", "cospot"):
            self.refuse("answered 404", folder=made, dataset=refused, url=self.server.url + "/none")
            assert self.names() == []
        self.refuse("; nothing was kept", "--sha256", "0" * 64, folder=made)
        assert self.names() == []
        # One that was there stays, and so does one that is a link to nothing.
        made.parent.mkdir()
        self.refuse("answered 404", folder=made, url=self.server.url + "/none")
        assert list(made.parent.iterdir()) == []
        (self.folder / "link").symlink_to("nowhere")
        self.refuse("cannot be written", folder=self.folder / "link")
        assert self.names() == ["a", "link"]

    def test_folder_of_a_part_stays(self):
        self.server.break_after = 1000
        self.refuse("1000 bytes are kept", folder=self.folder / "a" / "b")
        assert (self.folder / "a" / "b" / (NAME + ".part")).stat().st_size == 1000

    def test_dataset_of_many_files(self):
        names = [f"workloads/{kind}/relevant-vm-1pcnt_{i}.csv"
                 for kind in ("bernoulli", "batched") for i in range(10)]
        names += ["ilp/vmType.csv", "ilp/server_vm_cores_ram.json"]
        self.server.files = {"/base/" + name: name.encode() for name in names}
        output = self.succeed(dataset="cospot", url=self.server.url + "/base")
        assert output.count("SHA-256") == 22
        for name in names:
            local = name.split("/", 1)[1]
            assert (self.folder / local).read_bytes() == name.encode()
        again = self.succeed(dataset="cospot", url=self.server.url + "/base")
        assert again.count("was there, as recorded") == 22
        self.refuse("cospot has 22 files, expected a dataset of one", "--sha256", "0" * 64,
                    dataset="cospot")
        self.refuse("unknown dataset 'x', expected azure-packing, cospot", dataset="x")

    def fetch_addresses(self, *words):
        return self.run_fetch(*words, "--to", self.folder)

    def test_any_address(self):
        self.server.files = {"/a/DS2-trace.txt": CONTENT, "/b/other.txt": OTHER}
        first, second = (self.server.url + path for path in ("/a/DS2-trace.txt?raw=1#top",
                                                             "/b/other.txt"))
        self.server.files["/a/DS2-trace.txt?raw=1"] = CONTENT
        done = self.fetch_addresses(first, second)
        assert (done.returncode, done.stderr) == (0, "")
        assert (self.folder / "DS2-trace.txt").read_bytes() == CONTENT
        assert (self.folder / "other.txt").read_bytes() == OTHER
        assert f"300000 bytes, downloaded\n  SHA-256 {digest(CONTENT)}\n" in done.stdout
        # It is known by its record from now on, and by a digest that is given.
        again = self.fetch_addresses(second, "--sha256", digest(OTHER))
        assert again.returncode == 0 and "was there, as recorded" in again.stdout

    def test_address_with_another_digest(self):
        done = self.fetch_addresses(self.server.url + "/trace.zip", "--sha256", "0" * 64)
        assert done.returncode == 2 and "nothing was kept" in done.stderr
        assert self.names() == []

    def test_bad_addresses(self):
        server = "http://127.0.0.1:9"
        for words, expected in (
            ((f"{server}/",), "names no file, expected an address that ends with a file's name"),
            ((f"{server}/a/..",), "names no file"),
            (("cospot", f"{server}/a"), "found 'cospot', expected addresses"),
            ((f"{server}/a", f"{server}/b/a"), "two addresses end with 'a'"),
            ((f"{server}/a", "--url", "x"), "--url: expected it with the name of a dataset"),
            ((f"{server}/a", f"{server}/b", "--sha256", "0" * 64),
             "--sha256: found 2 addresses, expected one"),
        ):
            done = self.fetch_addresses(*words)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            assert expected in done.stderr

    def test_the_eucalyptus_traces_come_under_the_names_that_the_example_reads(self):
        self.server.files = {f"/DS{i}-trace.txt": f"START 0 i n {i}\n".encode()
                             for i in range(1, 7)}
        output = self.succeed(dataset="eucalyptus", url=self.server.url)
        assert "examples/papers/lifetime_sla/run.sh --traces" in output
        assert (self.folder / "ds5.txt").read_bytes() == b"START 0 i n 5\n"


if __name__ == "__main__":
    unittest.main()
