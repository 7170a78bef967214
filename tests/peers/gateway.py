"""`kernelloop` through a gateway, the litellm proxy, to our stub server: the three formats, a tool
call and its result, a conversation that is too long, and the gateway's own key.

gateway.py SOURCE BUILD. Exit code 77 where the package is not installed.
"""

import pathlib
import secrets
import sys
import tempfile
import urllib.request

import peer

CONFIGURATION = """
general_settings: {{disable_spend_logs: true}}
litellm_settings: {{telemetry: false, num_retries: 0}}
model_list:
  - model_name: by-chat
    litellm_params: {{model: openai/stub-1, api_base: "{url}/v1", api_key: stub-key}}
  - model_name: by-messages
    litellm_params: {{model: anthropic/stub-1, api_base: "{url}", api_key: stub-key}}
"""


class Gateway(peer.Process):
    def __init__(self, root, stub_url, master_key):
        self.port = peer.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        configuration = root / "gateway.yaml"
        configuration.write_text(CONFIGURATION.format(url=stub_url))
        program = pathlib.Path(sys.executable).parent / "litellm"
        super().__init__(
            "litellm", [program, "--config", configuration, "--host", "127.0.0.1", "--port", self.port],
            # Neither prices nor a user interface from elsewhere.
            {"LITELLM_MASTER_KEY": master_key, "LITELLM_LOCAL_MODEL_COST_MAP": "True",
             "DISABLE_ADMIN_UI": "True", "NO_DOCS": "True"})
        self.wait_until_up(self.listening)

    def listening(self):
        try:
            return urllib.request.urlopen(self.url + "/health/liveliness", timeout=5).status == 200
        except OSError:
            return False


def main():
    peer.need("litellm", "fastapi")
    source, build = sys.argv[1:3]
    program = pathlib.Path(build) / "tests" / "loop" / "ask" / "kernelloop_stub_server"
    master_key = "sk-" + secrets.token_hex(16)
    kernel = (pathlib.Path(source) / "docs" / "tutorial" / "first.cu").read_text()
    answer = f"Summary: one element a thread\n\n```cuda\n{kernel}```\n"
    # The first is for the gateway itself: it asks which models there are when it starts.
    replies = [{"kind": "status", "status": 404}] + [{"text": "Yes."}] * 3 + [
        {"kind": "status", "status": 400, "body":
         '{"error": {"message": "this model\'s maximum context length is 10 tokens",'
         ' "type": "invalid_request_error", "code": "context_length_exceeded"}}'},
        {"text": "I look.", "reads": "barriers"}, {"text": answer},
        {"text": "I look.", "reads": "barriers"}, {"text": answer}]
    with tempfile.TemporaryDirectory() as root, peer.Stub(program, replies) as stub:
        root = pathlib.Path(root)
        loop = peer.KernelLoop(source, build, root)
        with Gateway(root, stub.url, master_key) as gateway:
            loop.configure({}, KERNELLOOP_OPENAI_CHAT_BASE_URL=gateway.url + "/v1",
                           OPENAI_BASE_URL=gateway.url + "/v1", ANTHROPIC_BASE_URL=gateway.url,
                           KERNELLOOP_OPENAI_CHAT_API_KEY=master_key, OPENAI_API_KEY=master_key,
                           ANTHROPIC_API_KEY=master_key)
            for provider, model in (("openai-chat", "by-chat"), ("openai", "by-chat"),
                                    ("anthropic", "by-messages")):
                said = loop.ask(provider, model)
                peer.expect("answered (100 tokens in, 10 out)" in said, said)
                print(f"{provider} through the gateway: answered")
            said = loop.ask("openai-chat", "by-chat", code=6)
            peer.expect("context_overflow" in said, said)
            print("an overflow of the context is known through the gateway")
            for provider, model in (("openai-chat", "by-chat"), ("anthropic", "by-messages")):
                made = loop.propose(provider, provider, model)
                peer.expect((made.version / "kernel.cu").read_text().strip() == kernel.strip(),
                            "the kernel came through as it was")
                peer.expect([turn["outcome"]["status"] for turn in made.turns] ==
                            ["tools", "compiled"], f"a turn that reads, one that answers: {made.said}")
                print(f"{provider} through the gateway: a tool call, its result, a kernel")
            wrong = "sk-" + secrets.token_hex(16)
            loop.configure({}, KERNELLOOP_OPENAI_CHAT_API_KEY=wrong)
            said = loop.ask("openai-chat", "by-chat", code=6)
            peer.expect("HTTP 4" in said and wrong not in said, said)
            print("a key that the gateway does not know: refused, not asked again")
        peer.expect(stub.requests() == 9, "each question reached the provider once")


if __name__ == "__main__":
    main()
