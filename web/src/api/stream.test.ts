import "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import {
  type ChatCall,
  type ChatEnd,
  type ChatPiece,
  openFrameBuffer,
  readFault,
  readPiece,
  streamChat,
} from "./stream.ts";

const body: ChatCall = {
  messages: [{ role: "user", content: "hi" }],
  stream: true,
  model: "m",
  group: "",
  max_tokens: 0,
  temperature: 0,
};

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

const piece = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;

/** Replaces `fetch`: every call is answered with these bytes, chunk by chunk. */
function answerWith(chunks: readonly Uint8Array[], init: ResponseInit = {}): Request[] {
  const seen: Request[] = [];
  // Safe cast: `streamChat` uses `fetch` only in this form.
  globalThis.fetch = (async (url: string, request: RequestInit) => {
    seen.push(new Request(`http://x${url}`, request));
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = chunks[sent];
        sent += 1;
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    });
    let sent = 0;
    return new Response(stream, init);
  }) as typeof fetch;
  return seen;
}

async function run(signal = new AbortController().signal) {
  const pieces: ChatPiece[] = [];
  const ids: (string | null)[] = [];
  const end: ChatEnd = await streamChat(
    body,
    { onHead: (id) => void ids.push(id), onPiece: (one) => void pieces.push(one) },
    signal,
  );
  return { end, ids, text: pieces.map(({ content }) => content).join("") };
}

function cut(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

test("O-542 O-544 O-545: an answer is the same however its bytes are split, and whole at [DONE]", async () => {
  const stream = `: keep-alive\n\n${piece("你好")}${piece("，**世界**")}data: [DONE]\n\n${piece("late")}`;
  for (const ended of [stream, stream.replaceAll("\n", "\r\n"), stream.replaceAll("\n", "\r")]) {
    const bytes = new TextEncoder().encode(ended);
    for (const length of [1, 2, 3, 7, bytes.length]) {
      const seen = answerWith(cut(bytes, length), { headers: { "x-request-id": "r1" } });
      expect(await run()).toEqual({ end: { kind: "done" }, ids: ["r1"], text: "你好，**世界**" });
      expect(seen[0]?.headers.get("new-api-user")).toBe("-1");
      expect(await seen[0]?.json()).toEqual(body);
    }
  }
});

test("O-546: an error event ends the answer and keeps the text before it", async () => {
  const error =
    '{"error":{"message":"上游中断 (request id: r1)","type":"t","code":"broken_stream"}}';
  answerWith([new TextEncoder().encode(`${piece("half")}data: ${error}\n\n`)]);
  const fault = { message: "上游中断", code: "broken_stream" };
  expect(await run()).toMatchObject({ end: { kind: "failed", status: 200, fault }, text: "half" });
});

test("a stream that ends without [DONE] is not a whole answer", async () => {
  answerWith([new TextEncoder().encode(piece("half"))]);
  expect(await run()).toMatchObject({
    end: { kind: "failed", fault: { message: "", code: "broken" } },
    text: "half",
  });
});

test("a refusal carries its status, its text and its request id", async () => {
  const refusal =
    '{"error":{"message":"无权访问该分组 (request id: r2)","code":"group_not_allowed"}}';
  const headers = { "x-request-id": "r2" };
  answerWith([new TextEncoder().encode(refusal)], { status: 403, headers });
  const fault = { message: "无权访问该分组", code: "group_not_allowed" };
  expect(await run()).toMatchObject({ end: { kind: "failed", status: 403, fault }, ids: ["r2"] });
  answerWith([new TextEncoder().encode("<html>")], { status: 502, statusText: "Bad Gateway" });
  expect(await run()).toMatchObject({
    end: { status: 502, fault: { message: "Bad Gateway" } },
    ids: [null],
  });
});

test("a lost network, a refusal and a stop are three different ends", async () => {
  // Safe cast: `streamChat` uses `fetch` only in this form.
  globalThis.fetch = (async () => {
    throw new TypeError("failed");
  }) as unknown as typeof fetch;
  expect((await run()).end).toMatchObject({ status: 0, fault: { code: "offline" } });
  const stopped = new AbortController();
  stopped.abort();
  expect((await run(stopped.signal)).end).toEqual({ kind: "stopped" });
});

test("data lines of one event are joined; comments and other fields are ignored; the last event may lack its empty line", async () => {
  const stream = 'event: x\ndata: {"choices":\ndata:[{"delta":{"content":"a"}}]}\nid: 1\n\n: c\n\n';
  answerWith([new TextEncoder().encode(`${stream}data: [DONE]`)]);
  expect(await run()).toMatchObject({ end: { kind: "done" }, text: "a" });
});

test("an event that never ends is given up before it fills the memory", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const endless = Array.from({ length: 12 }, () => bytes("x".repeat(1024 * 1024)));
  answerWith([bytes("data: "), ...endless, bytes("\n\ndata: [DONE]\n\n")]);
  expect((await run()).end).toMatchObject({ kind: "failed", fault: { code: "broken" } });
});

test("reasoning is read in both spellings; a delta without text adds nothing", () => {
  const delta = (fields: object) => JSON.stringify({ choices: [{ index: 0, delta: fields }] });
  expect(readPiece(delta({ reasoning_content: "hm" }))?.reasoning).toBe("hm");
  expect(readPiece(delta({ reasoning: "hm", content: null }))?.reasoning).toBe("hm");
  expect(readPiece(delta({ reasoning: "a", reasoning_content: "a" }))?.reasoning).toBe("a");
  for (const data of [
    delta({ role: "assistant" }),
    delta({ content: "" }),
    '{"choices":[]}',
    "x",
  ]) {
    expect(readPiece(data)).toBeUndefined();
  }
});

test("an error is recognised by its field, in every form", () => {
  expect(readFault('{"error":"gone"}')).toEqual({ message: "gone", code: "" });
  expect(readFault('{"error":{"message":"m","code":429}}')).toEqual({ message: "m", code: "429" });
  expect(readFault('{"error":{"message":"m","code":null}}')).toEqual({ message: "m", code: "" });
  expect(readFault('{"choices":[]}')).toBeUndefined();
});

test("however fast values come, a frame is painted once, with the newest", () => {
  const painted: number[] = [];
  const frames: (() => void)[] = [];
  const buffer = openFrameBuffer<number>(
    (value) => void painted.push(value),
    (callback) => frames.push(callback),
  );
  for (let value = 1; value <= 100; value += 1) buffer.put(value);
  expect([painted, frames.length]).toEqual([[], 1]);
  frames.shift()?.();
  expect(painted).toEqual([100]);
  buffer.put(101);
  buffer.flush();
  frames.shift()?.();
  expect(painted).toEqual([100, 101]);
});
