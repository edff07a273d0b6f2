// Server-sent events over `fetch`: unlike `EventSource` it can carry a token, tell a 401 from a loss, and be paused.

/**
 * Follows a stream until `signal` ends it. After a break it goes on behind the last event it had. A page that nobody sees has none
 * open: over HTTP/1.1 a browser has six connections for all of its tabs.
 */
export async function follow(door, path, { signal, onevent, onstate, lastId = null }) {
  let last = lastId;
  let wait = 1000;
  while (!signal.aborted) {
    await seen(signal);
    if (signal.aborted) break;
    const turn = new AbortController();
    const end = () => turn.abort();
    const look = () => { if (document.hidden) end(); };
    signal.addEventListener("abort", end);
    document.addEventListener("visibilitychange", look);
    try {
      onstate?.("connecting");
      const headers = { Accept: "text/event-stream" };
      if (last !== null) headers["Last-Event-ID"] = last;
      const response = await door.send("GET", path, { signal: turn.signal, headers });
      onstate?.("live");
      wait = 1000;
      await read(response.body, (event) => {
        if (event.id !== null) last = event.id;
        onevent(event);
      });
    } catch (error) {
      if (turn.signal.aborted) continue;
      if (error.status && !error.isLoss && error.status !== 429) {
        onstate?.("ended", error);
        return;
      }
      wait = Math.max(wait, (error.retryAfter ?? 0) * 1000);
    } finally {
      signal.removeEventListener("abort", end);
      document.removeEventListener("visibilitychange", look);
    }
    if (turn.signal.aborted) continue;
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

/** Waits until somebody sees the page, or ends at once with the signal. */
function seen(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      signal.removeEventListener("abort", look);
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    signal.addEventListener("abort", look);
    document.addEventListener("visibilitychange", look);
    look();
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
