"""The vendors' own Python SDKs against our stub server: what the stub says must be what they accept.

sdks.py STUB_PROGRAM. Exit code 77 when the SDKs are not installed.
"""

import json
import sys

from peer import Stub, expect, need

need("anthropic", "openai")
import anthropic
import openai

TOOL = {
    "name": "look",
    "description": "looks something up",
    "schema": {"type": "object", "properties": {"what": {"type": "string"}}},
}


def check_anthropic(program):
    with Stub(program, [{"text": "hello"}, {"kind": "json", "text": "hello"},
                        {"text": "I look.", "reads": "barriers"}, {"kind": "status", "status": 429},
                        {"kind": "gzip", "text": "hello"}, {"text": "I look.", "reads": "barriers"}]) as stub:
        client = anthropic.Anthropic(base_url=stub.url, api_key="no-key", max_retries=0)
        common = {"model": "stub-1", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
        with client.messages.stream(**common) as stream:
            message = stream.get_final_message()
        expect(message.content[0].text == "hello", "streamed text")
        expect(message.stop_reason == "end_turn", "stop reason")
        expect(message.usage.output_tokens == 10, "usage")
        expect(client.messages.create(**common).content[0].text == "hello", "plain text")
        tool = {"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["schema"]}
        with client.messages.stream(**common, tools=[tool]) as stream:
            message = stream.get_final_message()
        expect(message.stop_reason == "tool_use", "tool stop reason")
        expect(message.content[-1].input == {"what": "barriers"}, "tool input")
        try:
            client.messages.create(**common)
            raise AssertionError("429 is no error")
        except anthropic.RateLimitError:
            pass
        with client.messages.stream(**common) as stream:
            expect(stream.get_final_message().content[0].text == "hello", "compressed stream")
        message = client.messages.create(**common, tools=[tool])
        expect(message.content[-1].input == {"what": "barriers"}, "tool input without a stream")


def check_openai(program):
    with Stub(program, [{"text": "hello"}, {"kind": "json", "text": "hello"},
                        {"text": "I look.", "reads": "barriers"}, {"kind": "status", "status": 429}]) as stub:
        client = openai.OpenAI(base_url=stub.url + "/v1", api_key="no-key", max_retries=0)
        events = list(client.responses.create(model="stub-1", input="hi", stream=True))
        expect(events[-1].type == "response.completed", "last event")
        expect(events[-1].response.output_text == "hello", "streamed text")
        expect(client.responses.create(model="stub-1", input="hi").output_text == "hello", "plain text")
        tool = {"type": "function", "name": TOOL["name"], "parameters": TOOL["schema"], "strict": False}
        events = list(client.responses.create(model="stub-1", input="hi", tools=[tool], stream=True))
        call = events[-1].response.output[-1]
        expect(call.type == "function_call" and json.loads(call.arguments) == {"what": "barriers"}, "call")
        try:
            client.responses.create(model="stub-1", input="hi")
            raise AssertionError("429 is no error")
        except openai.RateLimitError:
            pass


def check_chat(program):
    with Stub(program, [{"text": "hello"}, {"kind": "json", "text": "hello"},
                        {"text": "I look.", "reads": "barriers"}]) as stub:
        client = openai.OpenAI(base_url=stub.url + "/v1", api_key="no-key", max_retries=0)
        common = {"model": "stub-1", "messages": [{"role": "user", "content": "hi"}]}
        chunks = list(client.chat.completions.create(**common, stream=True))
        text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        expect(text == "hello", "streamed text")
        expect(chunks[-1].usage.prompt_tokens == 100, "usage in the last chunk")
        plain = client.chat.completions.create(**common)
        expect(plain.choices[0].message.content == "hello", "plain text")
        tool = {"type": "function", "function": {"name": TOOL["name"], "parameters": TOOL["schema"]}}
        parts = [c.choices[0].delta.tool_calls[0] for c in
                 client.chat.completions.create(**common, tools=[tool], stream=True)
                 if c.choices and c.choices[0].delta.tool_calls]
        arguments = "".join(part.function.arguments for part in parts)
        expect(json.loads(arguments) == {"what": "barriers"}, "tool arguments in pieces")


def main():
    program = sys.argv[1]
    check_anthropic(program)
    check_openai(program)
    check_chat(program)
    print(f"anthropic {anthropic.__version__}, openai {openai.__version__}: the stub is accepted")


if __name__ == "__main__":
    main()
