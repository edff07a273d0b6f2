"""An OpenAI-compatible server of chat completions: requests are held against the openai package's own types, and answers are
made with them. It behaves as the model's name says.

Prints its port, ends with a line from its standard input or its end, and then prints what has come: one JSON list. Knows the key
`sk-demo`.

Models: `ok`, `STATUS`, `hang`, `huge`, `html`, `redirect`, `refusal`, `length`, `words` (no JSON), `more` (a field too many),
`less` (one too few), `critical` (a priority that is none), `long` (a reason of 5,000 characters), `empty` (no text), `unseen` (a text of which nothing is seen),
`silent` (no text, and nothing to tell), `late` (answers when it is
told to end).
"""

import http.server
import json
import os
import sys
import threading
import time

from openai.types.chat import ChatCompletion, ChatCompletionMessageParam, completion_create_params
from pydantic import TypeAdapter, ValidationError

request_type = TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming)
message_type = TypeAdapter(ChatCompletionMessageParam)
seen, lock, is_over = [], threading.Lock(), threading.Event()
good = {"should_notify": True, "priority": "high", "reason": "Priya waits for an answer", "text": "Priya asks when you come"}


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        problem, model = None, "none"
        try:
            asked = json.loads(body)
            request_type.validate_python(asked)
            for message in asked["messages"]:
                message_type.validate_python(message)
            model = asked["model"]
            schema = asked["response_format"]["json_schema"]
            # What the service itself asks of a strict schema.
            assert schema["strict"] and set(schema["schema"]["required"]) == set(schema["schema"]["properties"])
            assert schema["schema"]["additionalProperties"] is False
        except (ValidationError, ValueError, KeyError, AssertionError) as error:
            problem = repr(error)[:300]
        with lock:
            seen.append({"path": self.path, "key": self.headers.get("Authorization"), "problem": problem,
                         "messages": [message["content"] for message in asked["messages"]]})
        if problem:
            return self.send(400, {"error": {"message": problem, "type": "invalid_request_error"}})
        if self.headers.get("Authorization") != "Bearer sk-demo":
            return self.send(401, {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}})
        self.behave(model)

    def behave(self, model):
        if model.isdigit():
            return self.send(int(model), {"error": {"message": "no", "type": "server_error"}})
        if model == "hang":
            return is_over.wait()
        if model == "late":
            is_over.wait()
        if model == "huge":
            self.send_response(200)
            self.send_header("Content-Length", str(100 << 20))
            self.end_headers()
            try:
                for _ in range(1600):
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
            return
        if model == "html":
            return self.send(200, b"<html>welcome</html>")
        if model == "redirect":
            return self.send(307, b"", Location="https://example.org/")
        said = {"more": {**good, "mood": "good"}, "less": {"should_notify": True}, "critical": {**good, "priority": "critical"},
                "long": {**good, "reason": "x" * 5000}, "empty": {**good, "text": ""},
                "unseen": {**good, "text": " \u200b\n\u2060"}, "silent": {**good, "should_notify": False, "text": ""}}.get(model, good)
        content = "Yes, notify them." if model == "words" else json.dumps(said)
        message = {"role": "assistant", "content": None if model == "refusal" else content}
        if model == "refusal":
            message["refusal"] = "I cannot help with that."
        completion = ChatCompletion.model_validate({
            "id": "chatcmpl-1", "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [{"index": 0, "message": message, "logprobs": None,
                         "finish_reason": "length" if model == "length" else "stop"}]})
        self.send(200, completion.model_dump_json().encode())

    def send(self, status, value, **headers):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.readline()
is_over.set()
print(json.dumps(seen), flush=True)
os._exit(0)
