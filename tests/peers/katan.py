"""`kernelloop` against llm-katan, a server of the OpenAI and Anthropic formats that somebody else
wrote: TLS with a certificate of its own, right and wrong keys, and a server that calls a tool in
every answer.

katan.py SOURCE BUILD. Exit code 77 where the package is not installed.
"""

import pathlib
import secrets
import socket
import subprocess
import sys
import tempfile

import peer


class Katan(peer.Process):
    def __init__(self, root, *arguments):
        self.port = peer.free_port()
        super().__init__("katan", [
            sys.executable, "-m", "llm_katan.cli", "--model", "katan-1", "--backend", "echo",
            "--providers", "openai,anthropic", "--host", "127.0.0.1", "--port", self.port,
            "--stats-file", pathlib.Path(root) / "stats.json", *arguments])
        self.wait_until_up(self.listening)

    def listening(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def certificate(root):
    key, file = root / "server.key", root / "server.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-keyout", key, "-out", file, "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return key, file


def check_tls_and_keys(loop, root):
    right, wrong = secrets.token_hex(16), secrets.token_hex(16)
    key, file = certificate(root)
    with Katan(root, "--tls", "--tls-cert", file, "--tls-key", key, "--validate-keys", "--api-keys",
               f"openai={right},anthropic={right}") as server:
        url = f"https://localhost:{server.port}"
        loop.configure({}, KERNELLOOP_OPENAI_CHAT_BASE_URL=url + "/v1", ANTHROPIC_BASE_URL=url,
                       KERNELLOOP_OPENAI_CHAT_API_KEY=right, ANTHROPIC_API_KEY=right)
        said = loop.ask("openai-chat", "katan-1", code=6)
        peer.expect("certificate" in said, said)
        loop.configure({"ca_file": str(file)})
        for provider in ("openai-chat", "anthropic"):
            said = loop.ask(provider, "katan-1")
            peer.expect("katan-1 answered" in said, said)
            print(f"{provider}: answered over TLS with a certificate of its own")
        loop.configure({"ca_file": str(file)}, KERNELLOOP_OPENAI_CHAT_API_KEY=wrong,
                       ANTHROPIC_API_KEY=wrong)
        for provider in ("openai-chat", "anthropic"):
            said = loop.ask(provider, "katan-1", code=6)
            peer.expect("authentication" in said and "401" in said, said)
            peer.expect(wrong not in said, "the key is shown")
        print("a wrong key: 401, not asked again")


def check_endless_tools(loop, root, provider):
    """Every answer calls a tool: read, read, and at the cap told to answer; then the turn counts as
    one without code."""
    with Katan(root) as server:
        url = f"http://127.0.0.1:{server.port}"
        loop.configure({}, KERNELLOOP_OPENAI_CHAT_BASE_URL=url + "/v1", ANTHROPIC_BASE_URL=url,
                       KERNELLOOP_OPENAI_CHAT_API_KEY="no-key", ANTHROPIC_API_KEY="no-key")
        made = loop.propose(provider, provider, "katan-1", arguments="FIX_LIMIT 1")
        read = [turn for turn in made.turns if turn["outcome"]["status"] == "tools"]
        # The thirteenth is told that there is no more to read.
        peer.expect(len(read) == 13, f"{len(read)} rounds of reading")
        peer.expect(len(made.turns) > 13, "it is told to answer after that")
        total = made.ledger["total"]
        peer.expect(total["requests"] == len(made.turns), f"each is booked once: {total}")
        print(f"{provider}: {len(made.turns)} turns, {len(read)} of them read")


def main():
    peer.need("llm_katan")
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        loop = peer.KernelLoop(sys.argv[1], sys.argv[2], root)
        check_tls_and_keys(loop, root)
        for provider in ("openai-chat", "anthropic"):
            check_endless_tools(loop, root, provider)


if __name__ == "__main__":
    main()
