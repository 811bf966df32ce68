/** Tags of calls: where they come from, whatever the client speaks, and how many there are. */

import { tagLengthMax, tagsMax } from "@tollgate/contract/logs/tags.ts";
import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, so that other formats are translated. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

const whole = '{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}],';
const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}';

async function open(tags: readonly string[] = [], status = 200) {
  const answer = status === 200 ? jsonAnswer(whole + usage) : failed;
  const upstream = await startUpstream((socket) => void socket.write(answer));
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider: chatOnly })],
    token: { tags },
  });
  stops.push(relay.stop, upstream.stop);
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const last = () => relay.money.settled.at(-1)?.log.tags;
  const held = () => relay.money.asked.at(-1)?.tags;
  return { relay, ask, last, held };
}

const failed = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";
const message = { role: "user", content: "hi" };
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

const formats = [
  ["/v1/chat/completions", { model: "m", messages: [message] }],
  ["/v1/messages", { model: "m", max_tokens: 5, messages: [message] }],
  ["/v1/responses", { model: "m", input: "hi" }],
  ["/v1beta/models/m:generateContent", { contents }],
] as const;

test.each(formats)(
  "a call of %s has the tags of its key, of its headers and of its metadata",
  async (path, body) => {
    const { ask, held, last } = await open(["team:search"]);
    const metadata = { job: "batch", nightly: true, try: 2, nested: { a: 1 }, none: null };
    expect(await ask(path, { ...body, metadata }, { "X-Tollgate-Tag-Customer": "acme" })).toBe(200);
    expect(last()).toEqual(["team:search", "customer:acme", "job:batch", "nightly", "try:2"]);
    // The hold has them as well: if the node dies, nothing else tells which they were.
    expect(held()).toBe("team:search\ncustomer:acme\njob:batch\nnightly\ntry:2");
    await ask(path, body);
    expect(last()).toEqual(["team:search"]);
    await ask(path, { metadata: { first: "1" }, ...body });
    expect(last()).toEqual(["team:search", "first:1"]);
  },
);

test("a call without tags has none, also after one that has some", async () => {
  const { ask, held, last } = await open();
  const [path, body] = formats[0];
  await ask(path, { ...body, metadata: { a: "1" } });
  await ask(path, body);
  expect([last(), held()]).toEqual([undefined, undefined]);
});

test("tags of calls that run at the same time are not mixed up", async () => {
  const { ask, relay } = await open();
  const asked = Array.from({ length: 40 }, async (_, at) => {
    const [path, body] = formats[at % formats.length] ?? formats[0];
    await ask(path, { ...body, metadata: { at: String(at) } });
  });
  await Promise.all(asked);
  const found = relay.money.settled.map(({ log }) => log.tags?.join());
  expect(new Set(found).size).toBe(40);
});

test("a call has so many tags and no more, none of them long, and none twice", async () => {
  const { ask, last } = await open(["same"]);
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, "v"]));
  const [path, body] = formats[0];
  await ask(path, { ...body, metadata: many });
  expect(last()).toHaveLength(tagsMax);
  const long = "x".repeat(tagLengthMax);
  await ask(path, { ...body, metadata: { long, same: "true", lines: "a\nb", half: "\ud800" } });
  expect(last()).toEqual(["same"]);
  await ask(path, { ...body, metadata: { ["x".repeat(tagLengthMax)]: true } });
  expect(last()).toEqual(["same", long]);
});

test("metadata that is no object, or is too long, is no tag, and the call goes on", async () => {
  const { ask, last } = await open();
  const [path, body] = formats[0];
  for (const metadata of ["batch", 5, null, ["a"], {}, { a: "x".repeat(100_000) }]) {
    expect(await ask(path, { ...body, metadata })).toBe(200);
    expect(last()).toBeUndefined();
  }
});

test("a tag of a header may be UTF-8, and its name alone is a tag", async () => {
  const { ask, last } = await open();
  const [path, body] = formats[0];
  const utf8 = Buffer.from("客户").toString("latin1");
  await ask(path, body, { "x-tollgate-tag-batch": "", "x-tollgate-tag-who": utf8 });
  expect(last()).toEqual(["batch", "who:客户"]);
});

test("a failed call has its tags as well", async () => {
  const { ask, relay } = await open(["team"], 400);
  const [path, body] = formats[0];
  await ask(path, { ...body, metadata: { job: "batch" } });
  expect(relay.failures.at(-1)?.tags).toEqual(["team", "job:batch"]);
});
