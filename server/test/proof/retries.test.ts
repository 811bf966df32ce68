/**
 * Retries of realtime sessions and tasks in the built product: they go on to another channel by the
 * rules that calls go by.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addChannel, setRatio } from "#test/console.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";

/** What channels of this type are asked by: suno's songs and texts, and OpenAI's sessions. */
const types = { task: 36, session: 1 } as const;
type Kind = keyof typeof types;

/** How many are asked for at once; far more than a channel may give away. */
const crowd = 60;

/** An upstream that refuses below one path, and takes everything below another. */
function startUpstream() {
  const refusal = { status: 503, headers: {} as Record<string, string> };
  const seen = { refused: 0 };
  /** Refusals wait for this. */
  let gate: Promise<void> = Promise.resolve();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    websocket: { message() {} },
    async fetch(request, own) {
      if (new URL(request.url).pathname.startsWith("/refuses/")) {
        seen.refused += 1;
        await gate;
        return new Response("{}", refusal);
      }
      if (request.headers.get("upgrade") === null) {
        return Response.json({ code: "success", message: "", data: crypto.randomUUID() });
      }
      return own.upgrade(request) ? undefined : new Response(null, { status: 400 });
    },
  });
  return {
    refusal,
    seen,
    hold(until: Promise<void>): void {
      gate = until;
    },
    url: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  };
}

let place: Installation;
let spender: Spender;
const upstream = startUpstream();
beforeAll(async () => {
  place = await openInstallation("sqlite", { models: [], channel: { models: "unused" } });
  spender = await addSpender(place, 1_000_000_000);
  for (const name of ["paused-session", "crowded-session"]) {
    await setRatio(place.root, "ModelRatio", name, 1);
  }
});
afterAll(async () => {
  await upstream.stop();
  await place.close();
});

/** Adds a channel that refuses, and one of lower priority that takes what comes. */
async function addPair(kind: Kind, models: string): Promise<void> {
  for (const [path, priority] of [["refuses", 10] as const, ["takes", 0] as const]) {
    const base_url = `${upstream.url}/${path}`;
    await addChannel(place.root, { type: types[kind], models, priority, base_url });
  }
}

/** Asks once. Resolves to whether an upstream has taken it. */
const ask: Readonly<Record<Kind, (model: string) => Promise<boolean>>> = {
  async task(model) {
    const action = model.replace("suno_", "");
    const response = await fetch(`${place.origin}/suno/submit/${action}`, {
      method: "POST",
      headers: { authorization: `Bearer ${spender.key}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt: "a song" }),
    });
    await response.text();
    return response.ok;
  },
  async session(model) {
    const address = `${place.origin.replace("http", "ws")}/v1/realtime?model=${model}`;
    const socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${spender.key}`]);
    return await new Promise((resolve) => {
      socket.onopen = () => {
        socket.close();
        resolve(true);
      };
      socket.onerror = () => resolve(false);
      socket.onclose = () => resolve(false);
    });
  },
};

describe.each([
  ["task", "suno_music", "suno_lyrics"],
  ["session", "paused-session", "crowded-session"],
] as const)("a %s that an upstream refuses", (kind, paused, crowded) => {
  test("goes to another channel, and so do the next, as long as the upstream wants a pause", async () => {
    await addPair(kind, paused);
    Object.assign(upstream.refusal, { status: 429, headers: { "retry-after": "3600" } });
    upstream.hold(Promise.resolve());
    upstream.seen.refused = 0;
    const taken = [await ask[kind](paused), await ask[kind](paused), await ask[kind](paused)];

    expect(taken).toEqual([true, true, true]);
    expect(upstream.seen.refused).toBe(1);
  });

  test("is not sent on where too many were refused at once, so that others are not flooded", async () => {
    await addPair(kind, crowded);
    Object.assign(upstream.refusal, { status: 503, headers: {} });
    const { promise, resolve: open } = Promise.withResolvers<void>();
    upstream.hold(promise);
    upstream.seen.refused = 0;
    let answered = 0;
    const all = Array.from({ length: crowd }, async () => {
      const isTaken = await ask[kind](crowded);
      answered += 1;
      return isTaken;
    });
    while (upstream.seen.refused + answered < crowd) await Bun.sleep(20);
    open();
    const taken = (await Promise.all(all)).filter(Boolean).length;

    // Ten are saved up, and some more are earned while these are answered.
    expect(upstream.seen.refused).toBeGreaterThan(crowd / 2);
    expect(taken).toBeGreaterThanOrEqual(10);
    expect(taken).toBeLessThan(upstream.seen.refused * 0.75);
  });
});
