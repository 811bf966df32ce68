import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { callTo, open, readText } from "./testing/calls.ts";
import { jsonAnswer, startUpstream } from "./testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/**
 * Starts an upstream that answers the first request of each connection, and leaves the second
 * unanswered until `closing` closes its connection.
 */
async function start(atSecond: (close: () => void) => void, goesBy: "FIN" | "RST") {
  const upstream = await startUpstream((socket, _request, count) => {
    if (count === 1) socket.write(jsonAnswer("1"));
    else atSecond(() => (goesBy === "FIN" ? socket.end() : socket.resetAndDestroy()));
  });
  stops.push(upstream.stop);
  return upstream;
}

// The server closed its idle connection as the call went out, so it has not read the call.
test("W1: a call on a connection that closes at once is sent again", async () => {
  for (const goesBy of ["FIN", "RST"] as const) {
    const { transport } = open();
    const { connections, requests, url } = await start((close) => close(), goesBy);
    await readText(transport, callTo(url));

    expect(await readText(transport, callTo(url))).toBe("200 1");
    expect(connections()).toBe(2);
    expect(requests).toHaveLength(3);
  }
});

test("W1: a server that reads a call and closes later without a word is not paid twice", async () => {
  for (const goesBy of ["FIN", "RST"] as const) {
    const { transport, skip } = open();
    let closeIt: (() => void) | null = null;
    const { requests, url } = await start((close) => (closeIt = close), goesBy);
    await readText(transport, callTo(url));
    const second = readText(transport, callTo(url));
    await eventually(() => closeIt !== null);
    skip(101);
    (closeIt as (() => void) | null)?.();

    expect(await second).toBe("connection-closed");
    expect(requests).toHaveLength(2);
  }
});
