"""What the tests against independent programs share: the stub server, the peers as processes, a
project with one small operator, and `kernelloop` with nothing in its environment but what a test
gives it."""

import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def need(*modules):
    """Ends the test as skipped, with the reason, where a package is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            print(f"skipped: {module} is not installed (tests/peers/requirements.txt)")
            sys.exit(SKIPPED)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_for(what, found, seconds=180):
    """Polls `found` until it returns something true, which is returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = found()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come within {seconds} s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that runs as long as the test needs it; its output goes to a file."""

    def __init__(self, name, arguments, environment=None):
        self.name = name
        self.log = tempfile.NamedTemporaryFile(prefix=name, suffix=".log", delete=False)
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments], stdout=self.log, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})

    def output(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def wait_until_up(self, found):
        def look():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} ended by itself:\n{self.output()[-3000:]}")
            return found()

        return wait_for(self.name, look)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        pathlib.Path(self.log.name).unlink(missing_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Stub(Process):
    """The stub server with a script of replies, one per request; the last one stays."""

    def __init__(self, program, replies):
        self.directory = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.directory.name)
        self.report_file = root / "report.json"
        (root / "script.json").write_text(json.dumps(replies))
        super().__init__("stub", [program, "--port-file", root / "port", "--script",
                                  root / "script.json", "--report", self.report_file,
                                  "--seconds", "600"])
        port = self.wait_until_up(lambda: (root / "port").exists() and (root / "port").read_text())
        self.url = f"http://127.0.0.1:{port.strip()}"

    def requests(self):
        """How many there were; ends the server."""
        self.process.terminate()
        self.process.wait()
        return json.loads(self.report_file.read_text())["requests"]

    def __exit__(self, *_):
        self.stop()
        self.directory.cleanup()


class KernelLoop:
    """The program `kernelloop` of a build, with a user's configuration of its own. The variables of
    whoever runs the test do not reach it."""

    def __init__(self, source, build, root):
        self.source = pathlib.Path(source)
        self.build = pathlib.Path(build)
        self.root = pathlib.Path(root)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("ANTHROPIC_", "OPENAI_", "KERNELLOOP_", "CURL_", "SSL_"))}
        self.environment["XDG_CONFIG_HOME"] = str(self.root / "config")

    def configure(self, settings, **keys):
        """Writes the user's config.json and sets the variables of keys."""
        file = self.root / "config" / "kernelloop" / "config.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
        self.environment.update(keys)

    def run(self, *arguments, code=0):
        """What it printed, both streams together."""
        done = subprocess.run([str(self.build / "bin" / "kernelloop"), *map(str, arguments)],
                              env=self.environment, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False)
        expect(done.returncode == code,
               f"exit code {done.returncode}, not {code}: {arguments}\n{done.stdout}")
        return done.stdout

    def ask(self, provider, model, code=0):
        """`doctor --ask`: one smallest request."""
        text = self.run("doctor", "--ask", provider, "--model", model, code=code)
        return next(line for line in text.splitlines() if f"request to {provider}" in line)

    def propose(self, name, provider, model, code=0, arguments=""):
        """A project of its own whose first version `provider` writes; returns what was recorded of
        it, with the requests in the ledger."""
        project = self.root / name
        project.mkdir()
        tutorial = self.source / "docs" / "tutorial"
        (project / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(peer LANGUAGES CXX)
set(KERNELLOOP_TOOL "{self.build}/bin/kernelloop")
set(KERNELLOOP_DEVICE_TOOL "{self.build}/bin/kernelloop-device")
add_subdirectory("{self.source}" kernelloop-build)
add_kernel_op(axpy SPEC "{tutorial}/ops/axpy/op.json" REFERENCE "{tutorial}/references/axpy.cpp"
  VERSIONS 1 PROVIDER {provider} MODEL {model} DEVICE cpu {arguments})
""")
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build"],
                              env=self.environment, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, done.stderr)
        config = project / "build" / "kernelloop" / "axpy" / "config.json"
        said = self.run("propose", "--config", config, "--version", 1, code=code)
        version = project / "generated" / "axpy" / "v001"
        ledger = json.loads(self.run("cost", "--generated-dir", project / "generated", "--json"))
        return Proposal(said, version, ledger)


class Proposal:
    def __init__(self, said, version, ledger):
        self.said = said
        self.ledger = ledger
        self.version = version
        recorded = version / "conversation.json"
        self.turns = json.loads(recorded.read_text())["turns"] if recorded.exists() else []
