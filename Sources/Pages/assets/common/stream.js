// Server-sent events over `fetch`: unlike `EventSource` it can carry a token, tell a 401 from a loss, and be paused.

/** Follows a stream until `signal` ends it. After a break it goes on behind the last event it had. */
export async function follow(door, path, { signal, onevent, onstate, lastId = null }) {
  let last = lastId;
  let wait = 1000;
  while (!signal.aborted) {
    try {
      onstate?.("connecting");
      const headers = { Accept: "text/event-stream" };
      if (last !== null) headers["Last-Event-ID"] = last;
      const response = await door.send("GET", path, { signal, headers });
      onstate?.("live");
      wait = 1000;
      await read(response.body, (event) => {
        if (event.id !== null) last = event.id;
        onevent(event);
      });
    } catch (error) {
      if (signal.aborted) break;
      if (error.status && !error.isLoss && error.status !== 429) {
        onstate?.("ended", error);
        return;
      }
      wait = Math.max(wait, (error.retryAfter ?? 0) * 1000);
    }
    if (signal.aborted) break;
    onstate?.("broken");
    await pause(wait, signal);
    wait = Math.min(wait * 2, 15000);
  }
}

/** Waits, or ends at once with the signal. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

async function read(body, onevent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { id: null, type: "message", data: "" };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (event.data !== "") onevent(event);
        event = { id: null, type: "message", data: "" };
      } else take(line, event);
    }
  }
}

function take(line, event) {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  if (name === "id") event.id = value;
  else if (name === "event") event.type = value;
  else if (name === "data") event.data = event.data === "" ? value : `${event.data}\n${value}`;
}
