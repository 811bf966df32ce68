import { expect, test } from "bun:test";
import { openTestRelay, testChannel } from "#relay/testing/relay.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { testKey } from "#relay/testing/relay.ts";
import { deepgram } from "#providers/deepgram.ts";

const good = jsonAnswer(
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
);
const busy = jsonAnswer('{"error":{"message":"slow down"}}', "429 Busy").replace(
  "\r\n",
  "\r\nretry-after: 30\r\n",
);

test("what is said of a call that is not made is what calls do: order, reasons, place and key", async () => {
  const upstream = await startUpstream((socket, request) =>
    socket.write(request.includes("sk-busy") ? busy : good),
  );
  const baseUrl = upstream.url;
  const keys = ["sk-1", "sk-2", "sk-3"];
  const relay = openTestRelay({
    channels: [
      testChannel({ id: 1, baseUrl, priority: 5, keys }),
      testChannel({ id: 2, baseUrl, priority: 5, keys }),
      testChannel({ id: 3, baseUrl, priority: 5, keys: ["sk-busy"] }),
      testChannel({ id: 4, baseUrl, priority: 1 }),
      testChannel({ id: 5, baseUrl, priority: 5, provider: deepgram }),
    ],
  });
  const asked = { group: "default", model: "m", formatId: "anthropic-messages" } as const;
  const ask = (session: string) => relay.relay.explain({ ...asked, userId: 7, session });
  const call = async (session: string): Promise<void> => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "x-session-id": session },
      body: '{"model":"m","messages":[{"role":"user","content":"hi"}]}',
    });
    await response.text();
  };
  for (let at = 0; at < 20; at += 1) await call(`warm ${at}`);

  const { channels, places, refused } = ask("");
  expect([refused, places]).toEqual(["", true]);
  expect(channels.map(({ id, reason }) => [id, reason])).toEqual([
    [1, "used"],
    [2, "used"],
    [3, "cooldown"],
    [4, "reserve"],
    [5, "cannot-carry"],
  ]);
  expect(channels.map(({ share }) => share)).toEqual([0.5, 0.5, 0, 0, 0]);
  expect(channels.map(({ keys: count, openKeys }) => [count, openKeys])).toEqual([
    [3, 3],
    [3, 3],
    [1, 0],
    [1, 1],
    [1, 1],
  ]);
  for (let at = 0; at < 10; at += 1) {
    const told = ask(`talk ${at}`);
    const [first] = told.channels;
    await call(`talk ${at}`);
    const { log } = relay.money.settled.at(-1) ?? {};
    expect([first?.reason, first?.share]).toEqual(["place", 1]);
    expect(log?.tried).toEqual([first?.id ?? 0]);
    expect(log?.conversation_id).toBe(told.conversation);
    const sent = upstream.requests.at(-1) ?? "";
    expect(sent).toContain(`Bearer ${keys[(first?.key ?? 0) - 1]}`);
  }
  expect(relay.relay.explain({ ...asked, group: "nowhere", userId: 0, session: "" }).refused).toBe(
    "no-group",
  );
  expect(relay.relay.explain({ ...asked, model: "free", userId: 0, session: "" }).refused).toBe(
    "no-price",
  );
  await relay.stop();
  await upstream.stop();
});

test("the key that is told of a conversation that stays where it had to go is the one that calls take", async () => {
  let refused = "";
  const upstream = await startUpstream((socket, request) =>
    socket.write(refused !== "" && request.includes(`Bearer ${refused}`) ? busy : good),
  );
  const keys = ["sk-1", "sk-2", "sk-3"];
  const relay = openTestRelay({ channels: [testChannel({ id: 1, baseUrl: upstream.url, keys })] });
  const keyOfCall = async (): Promise<string> => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "x-session-id": "moved" },
      body: '{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Hi"},{"role":"user","content":"on"}]}',
    });
    await response.text();
    return /Bearer (sk-\d)/.exec(upstream.requests.at(-1) ?? "")?.[1] ?? "";
  };
  const home = await keyOfCall();
  refused = home;
  for (let times = 0; times < 3; times += 1) {
    expect(await keyOfCall()).not.toBe(home);
    relay.skipMs += 3 * 60_000;
  }
  refused = "";
  const asked = { group: "default", model: "m", formatId: "openai-chat" } as const;
  const told = relay.relay.explain({ ...asked, userId: 7, session: "moved" });
  const taken = await keyOfCall();
  expect(taken).not.toBe(home);
  expect(keys[(told.channels[0]?.key ?? 0) - 1]).toBe(taken);
  await relay.stop();
  await upstream.stop();
});
