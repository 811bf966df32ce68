/** Tests unusual and broken event streams: the bytes sent are those that the script describes. */

import { afterAll, expect, test } from "bun:test";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { callRaw, readChunked, readMessage, scripted, streamText } from "./client.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

const streaming = { stream: true, stream_options: { include_usage: true } };
const lastCall = () => upstream.account().calls.at(-1);

async function textOf(script: DemoScript, more: object = {}): Promise<string> {
  const body = scripted({ events: 3, ...script }, { ...streaming, ...more });
  const answer = await callRaw(upstream.url, { body });
  expect(readChunked(readMessage(answer.bytes).body).ended).toBe(true);
  return streamText(answer);
}

/**
 * Returns the data of each event, read by the simplest possible implementation of the SSE grammar.
 */
function dataOf(text: string): string[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((event) => {
    const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
    return lines.length === 0 ? [] : [lines.map((line) => line.slice(5).trimStart()).join("\n")];
  });
}

function contentOf(text: string): string {
  const chunks = dataOf(text).filter((data) => data !== "[DONE]");
  return chunks.map((data) => JSON.parse(data).choices[0]?.delta.content ?? "").join("");
}

test("each line end of the standard gives the same events", async () => {
  for (const lineEnd of ["\n", "\r\n", "\r"] as const) {
    const text = await textOf({ lineEnd });

    expect(text.replaceAll(lineEnd, "")).not.toMatch(/[\r\n]/);
    expect(dataOf(text)).toHaveLength(7);
    expect(contentOf(text)).toBe("This is a");
  }
});

test("the blank after the colon and the empty line between events can be omitted", async () => {
  const tight = await textOf({ noBlankAfterColon: true });
  expect(tight).not.toContain("data: ");
  expect(contentOf(tight)).toBe("This is a");

  const joined = await textOf({ noBlankLine: true });
  expect(joined).not.toContain("\n\n");
  expect(joined.split("\n").filter((line) => line.startsWith("data: "))).toHaveLength(7);
});

test("a byte order mark, comments, empty lines and NUL lines leave the events valid", async () => {
  const marked = await textOf({ bom: true });
  expect(marked.charCodeAt(0)).toBe(0xfeff);
  expect(contentOf(marked.slice(1))).toBe("This is a");

  const commented = await textOf({ comments: 20_000 });
  expect(commented.split("\n").filter((line) => line.startsWith(": "))).toHaveLength(7 * 20_000);
  expect(contentOf(commented)).toBe("This is a");

  const spaced = await textOf({ emptyLines: 1_000_000 });
  expect(spaced.slice(0, 1_000_000)).toBe("\n".repeat(1_000_000));
  expect(contentOf(spaced)).toBe("This is a");

  const nul = await textOf({ nul: true });
  expect(nul).toContain("\0\0\0\n");
  expect(contentOf(nul)).toBe("This is a");
});

test("one line can have exactly the length that the script requests", async () => {
  for (const longLineBytes of [1_000, 5_000_001]) {
    const text = await textOf({ longLineBytes });
    const lines = text.split("\n").map((line) => Buffer.byteLength(line));

    expect(Math.max(...lines)).toBe(longLineBytes);
    expect(contentOf(text)).toEndWith("This is a");
    expect(lastCall()).toMatchObject({ completionTokens: 3, complete: true });
  }
});

test("pieces have the script's text and size", async () => {
  expect(contentOf(await textOf({ piece: `é"\n` }))).toBe(`é"\n`.repeat(3));
  expect(contentOf(await textOf({ piece: "é", pieceBytes: 5 }))).toBe("éé.".repeat(3));
  expect(contentOf(await textOf({ pieceBytes: 1_000 }))).toHaveLength(3_000);
});

test("characters of several bytes can be split between chunks", async () => {
  const body = scripted({ events: 3, piece: "鱼", splitBytes: 1 }, streaming);
  const answer = await callRaw(upstream.url, { body });
  const { chunks } = readChunked(readMessage(answer.bytes).body);

  expect(chunks.some((chunk) => chunk[0] === 0xe9 && chunk.length === 1)).toBe(true);
  expect(contentOf(Buffer.concat(chunks).toString("utf8"))).toBe("鱼鱼鱼");
});

test("[DONE] comes once, twice or never, and anything may follow it", async () => {
  for (const [done, count] of [
    [undefined, 1],
    [true, 1],
    [2, 2],
    [false, 0],
  ] as const) {
    const text = await textOf(done === undefined ? {} : { done });
    expect(text.split("data: [DONE]\n\n")).toHaveLength(count + 1);
  }
  expect(await textOf({ afterDone: "data: {}\n\njunk" })).toEndWith(
    "data: [DONE]\n\ndata: {}\n\njunk",
  );
});

test("usage is exactly what the script says, and the account keeps it", async () => {
  for (const usage of [
    { prompt_tokens: -5, completion_tokens: 1.5, total_tokens: "many" },
    null,
    "text",
    17,
    [],
  ]) {
    expect(await textOf({ usage })).toContain(`"choices":[],"usage":${JSON.stringify(usage)}}`);
    expect(lastCall()?.usageSent).toEqual(usage);
  }
  expect(await textOf({ usageText: `{"prompt_tokens":1e999}` })).toContain(
    `"usage":{"prompt_tokens":1e999}}`,
  );
  expect(await textOf({ usage: false })).not.toContain(`"choices":[]`);
  expect(lastCall()?.usageSent).toBeNull();

  const detailed = await textOf({ promptTokens: 90, cachedTokens: 80, audioOutputTokens: 2 });
  expect(detailed).toContain(`"prompt_tokens":90,"completion_tokens":3,"total_tokens":93`);
  expect(detailed).toContain(`"cached_tokens":80`);
  expect(lastCall()).toMatchObject({ promptTokens: 90, completionTokens: 3 });
});

test("usage can come twice, in a stream and in a body", async () => {
  expect((await textOf({ usageTwice: true })).split(`"choices":[],"usage"`)).toHaveLength(3);
  expect((await textOf({ usageTwice: true, eventDelayMs: 1 })).split(`[],"usage"`)).toHaveLength(3);

  const whole = await callRaw(upstream.url, { body: scripted({ usageTwice: true }) });
  expect(readMessage(whole.bytes).body.toString().split(`,"usage":{`)).toHaveLength(3);
});

test("an error inside a 200 ends the stream without [DONE], and replaces a body", async () => {
  const errorEvent = { after: 2, error: { message: "overloaded", code: 503 } };
  const text = await textOf({ errorEvent });
  const events = dataOf(text);

  expect(events).toHaveLength(4);
  expect(JSON.parse(events[3] ?? "")).toEqual({ error: errorEvent.error });
  expect(lastCall()).toMatchObject({ completionTokens: 2, usageSent: null });

  const whole = readMessage(
    (await callRaw(upstream.url, { body: scripted({ errorEvent }) })).bytes,
  );
  expect(whole.status).toBe(200);
  expect(JSON.parse(whole.body.toString())).toEqual({ error: errorEvent.error });
});

test("max_tokens can be ignored", async () => {
  expect(contentOf(await textOf({}, { max_tokens: 2 }))).toBe("This is");
  expect(contentOf(await textOf({ ignoreMaxTokens: true }, { max_tokens: 2 }))).toBe("This is a");
});

test("stream faults apply to text completions too", async () => {
  const body = {
    ...scripted({ events: 2, cut: { after: 1, how: "reset" } }, streaming),
    prompt: "hello",
  };
  const answer = await callRaw(upstream.url, { path: "/v1/completions", body });

  expect(answer.end).toBe("reset");
  expect(streamText(answer)).toContain(`"text":"This"`);
  expect(streamText(answer)).not.toContain(`"text":" is"`);
});
