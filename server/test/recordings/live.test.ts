/**
 * Recorded sessions of Gemini's Live API, played from both ends: what either end sends arrives at the
 * other as it was sent, and each turn is charged by the usage that was recorded.
 */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#test/upstreams/client.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { gemini } from "#providers/gemini.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

type Message = {
  readonly dir: "client" | "server";
  readonly data: {
    readonly serverContent?: { readonly turnComplete?: boolean };
    readonly usageMetadata?: Readonly<Record<string, number>>;
  };
};

const folder = join(import.meta.dir, "../fixtures/recordings/gemini");
const sessions = readdirSync(folder).filter((name) => name.startsWith("live-ws."));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Opens a relay to an upstream that answers each message as it was recorded. */
function openPlayed(messages: readonly Message[]) {
  const asked: unknown[] = [];
  let at = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) =>
      server.upgrade(request) ? undefined : new Response("no", { status: 400 }),
    websocket: {
      message(socket, text) {
        asked.push(JSON.parse(String(text)));
        at += 1;
        for (; messages[at]?.dir === "server"; at += 1) {
          // Google sends its JSON as bytes.
          socket.send(Buffer.from(JSON.stringify(messages[at]?.data)));
        }
      },
    },
  });
  const channel = testChannel({
    baseUrl: `http://127.0.0.1:${upstream.port}`,
    provider: gemini,
    models: new Set(["m"]),
  });
  const relay = openTestRelay({ channels: [channel] });
  stops.push(relay.stop, () => upstream.stop(true));
  return { relay, asked };
}

/** Returns a recorded message with the model that the test's channel has. */
function forTest(data: object): object {
  const text = JSON.stringify(data).replace(
    /"(?:publishers\/google\/)?models\/[^"]+"/,
    '"models/m"',
  );
  return JSON.parse(text) as object;
}

test("there are recorded sessions", () => expect(sessions.length).toBe(8));

for (const name of sessions) {
  test(`${name} goes through in both directions and is charged as recorded`, async () => {
    const { ws } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { ws: Message[] };
    const { asked, relay } = openPlayed(ws);
    const path = "ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}//${path}?key=${testKey}`);
    stops.push(() => socket.close());
    const heard: unknown[] = [];
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      heard.push(JSON.parse(new TextDecoder().decode(data as ArrayBuffer)));
    });
    await eventually(() => socket.readyState === WebSocket.OPEN);
    let expected = 0;
    for (const { data, dir } of ws) {
      if (dir === "server") expected += 1;
      else {
        await eventually(() => heard.length === expected);
        socket.send(JSON.stringify(forTest(data)));
      }
    }
    await eventually(() => heard.length === expected);

    const of = (dir: string) => ws.filter((each) => each.dir === dir).map(({ data }) => data);
    expect(heard).toEqual(of("server"));
    expect(asked).toEqual(of("client").map(forTest));
    const reports = of("server").flatMap(({ usageMetadata: usage }) =>
      usage === undefined ? [] : [usage],
    );
    expect(
      relay.money.settled.map(({ log }) => [
        log.usageSource,
        inputOf(log.usage),
        outputOf(log.usage),
      ]),
    ).toEqual(
      reports.map(({ responseTokenCount, candidatesTokenCount, ...usage }) => [
        "upstream",
        usage["promptTokenCount"] ?? 0,
        (responseTokenCount ?? candidatesTokenCount ?? 0) + (usage["thoughtsTokenCount"] ?? 0),
      ]),
    );
  });
}
