import { expect, test } from "bun:test";
import { formats } from "#formats/registry.ts";
import { openStreamMeter, type StreamMeter } from "./stream-meter.ts";

const format = formats["openai-chat"].upstream;

function open(): StreamMeter {
  return openStreamMeter({ format, dropUsage: false, readUsage: format.readUsage });
}

/** Pushes the text into the meter in pieces; returns the bytes that may go to the client. */
function pass(meter: StreamMeter, text: string | Uint8Array, size = text.length): Buffer {
  const bytes = Buffer.from(text);
  const forwarded: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = new Uint8Array(bytes.subarray(at, at + size));
    forwarded.push(...meter.push(chunk).forward.map((view) => new Uint8Array(view)));
  }
  return Buffer.concat(forwarded);
}

function piece(content: string): string {
  return `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
}

const done = "data: [DONE]\n\n";

test("an error inside a stream is held back and ends the stream", () => {
  const shapes: [string, object][] = [
    ['data: {"error":{"message":"m","type":"t","code":529}}\n\n', { code: "529", message: "m" }],
    ['data: {"error":"m","code":"c"}\n\n', { code: "c", message: "m" }],
    ['data: {"object":"error","message":"m","type":"t","code":4}\n\n', { message: "m", type: "t" }],
    ['data: {"code":"c","message":"m","request_id":"r"}\n\n', { code: "c", message: "m" }],
    ['event: error\ndata: {"message":"m"}\n\n', { message: "m" }],
    ["event: error\ndata: overloaded\n\n", { type: "error" }],
    ['data: {"base_resp":{"status_code":1008,"status_msg":"m"}}\n\n', { code: "1008" }],
    ['data: {"choices":[{"delta":{},"error":{"message":"m","code":502}}]}\n\n', { code: "502" }],
    ['data: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n', { code: "finish-error" }],
  ];
  for (const [error, fault] of shapes) {
    const meter = open();
    const late = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n';
    expect(pass(meter, piece("a") + error + piece("b") + late + done).toString()).toBe(piece("a"));
    expect(meter.fault, error).toMatchObject(fault);
    const { tail, complete, usage } = meter.end();
    expect(Buffer.from(tail).toString()).toBe(error);
    expect(complete).toBe(false);
    // Usage that comes after the error is kept, because the upstream charges for it.
    expect(usage).toMatchObject({ kind: "ok", usage: { input: 3 } });
  }
});

test("events that only look like errors pass", () => {
  const events = [
    'data: {"choices":[{"index":0,"delta":{"content":"{\\"error\\":{}}"}}],"error":null}\n\n',
    'data: {"choices":[],"error":{}}\n\n',
    'data: {"choices":[{"delta":{}}],"base_resp":{"status_code":0,"status_msg":""}}\n\n',
    'data: {"choices":[{"delta":{"content":"x"}}],"code":0,"message":"ok"}\n\n',
    'data: {"type":"ping","error":false}\n\n',
    "data: keep-alive\n\ndata:\n\nevent: ping\n\n",
  ].join("");
  const meter = open();

  expect(pass(meter, events).toString()).toBe(events);
  expect(meter.fault).toBeUndefined();
});

test("an error is not content, so another channel can still be tried", () => {
  const meter = open();
  const first = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
  pass(meter, `: hello\n\n${first}data: {"error":{"message":"m"}}\n\n`);

  expect(meter.contentSeen).toBe(false);
  expect(meter.fault?.message).toBe("m");
});

test("every framing that the SSE standard allows gives the same bytes and the same bill", () => {
  const payload = '{"choices":[{"index":0,"delta":{"content":"é界"},"finish_reason":"stop"}]}';
  const usage = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}';
  for (const end of ["\n", "\r\n", "\r"]) {
    const closing = `${end}${end}data: ${usage}${end}${end}data: [DONE]`;
    const lines = [
      `{"choices":[{"index":0,`,
      `"delta":{"content":"é界"},`,
      `"finish_reason":"stop"}]}`,
    ];
    const streams = [
      `data: ${payload}${closing}${end}${end}`,
      `\ufeffdata:${payload}${end}${end}data:${usage}${end}${end}data:[DONE]`,
      `: c${end}event: m${end}data: ${payload}${end}id: 1${end}${end}${closing}  ${end}${end}`,
      `${lines.map((line) => `data: ${line}`).join(end)}${closing}${end}`,
      `\0\0${end}data: \t${payload} ${end}${end}retry: 1${closing}${end}${end}`,
    ];
    for (const stream of streams) {
      for (const size of [1, 2, 3, 7, 64, 4_096]) {
        const meter = open();
        const forwarded = pass(meter, stream, size);
        const { tail, ...known } = meter.end();

        expect(Buffer.concat([forwarded, tail]).toString()).toBe(stream);
        expect(known).toEqual({
          usage: expect.objectContaining({ kind: "ok" }),
          seenUsage: expect.objectContaining({ kind: "ok" }),
          text: "é界",
          tier: "",
          searches: 0,
          textTruncated: false,
          issued: [],
          contentBytes: 5,
          outputTokens: 2,
          reasoningShare: 0,
          complete: true,
        });
      }
    }
  }
});

// A user with little quota left must not get more than one event that the hold does not cover.
test("output stops at the allowance and goes on when that is raised", () => {
  const meter = open();
  meter.allowedTokens = 10;
  const small = piece("word ");
  const forwarded: string[] = [];
  const take = ({ forward, blocked }: ReturnType<StreamMeter["push"]>) => {
    forwarded.push(Buffer.concat(forward).toString());
    return blocked;
  };

  expect(take(meter.push(Buffer.from(small.repeat(20) + done)))).toBe(true);
  const first = forwarded.join("").length / small.length;
  expect(first).toBeGreaterThan(4);
  expect(meter.outputTokens).toBeLessThanOrEqual(10);
  expect(meter.wantedTokens).toBe(11);

  expect(take(meter.resume())).toBe(true);
  expect(forwarded.at(-1)).toBe("");
  meter.allowedTokens = meter.wantedTokens;
  expect(take(meter.resume())).toBe(true);
  expect(forwarded.at(-1)).not.toBe("");
  meter.allowedTokens = 1_000;
  expect(take(meter.resume())).toBe(false);
  expect(forwarded.join("")).toBe(small.repeat(20));
  expect(meter.end()).toMatchObject({ complete: true, text: "word ".repeat(20) });
});

test("a stream that ends while blocked is billed for what was passed", () => {
  const meter = open();
  meter.allowedTokens = 3;
  const forwarded = pass(meter, piece("one two") + piece(" three four five six") + done);
  const end = meter.end();

  expect(forwarded.toString()).toBe(piece("one two"));
  expect(end).toMatchObject({ text: "one two", complete: false });
  expect(end.tail).toHaveLength(0);
});

test("what an event reports of the prompt is known, also where its output is not paid for", () => {
  const meter = open();
  meter.allowedTokens = 3;
  const usage = { prompt_tokens: 50_000, completion_tokens: 1, total_tokens: 50_001 };
  const words = { choices: [{ index: 0, delta: { content: "one two three four five" } }], usage };
  expect(pass(meter, `data: ${JSON.stringify(words)}\n\n`)).toHaveLength(0);

  const end = meter.end();
  expect([end.text, end.complete, end.usage]).toMatchObject(["", false, { kind: "ok" }]);
  expect(end.usage).toMatchObject({ usage: { input: 50_000 } });
});

test("an event too long to keep passes in pieces and is billed by its bytes", () => {
  const long = piece("some text ".repeat(100_000));
  const stream = piece("a") + long + piece("b") + done;
  const meter = open();
  const forwarded = pass(meter, stream, 16_384);
  const { tail, contentBytes, textTruncated } = meter.end();

  expect(Buffer.concat([forwarded, tail]).toString()).toBe(stream);
  expect(contentBytes).toBeGreaterThan(1_000_000);
  expect(textTruncated).toBe(true);
  expect(meter.outputTokens).toBeGreaterThan(200_000);
  expect(meter.contentSeen).toBe(true);
});

test("nothing may be written inside such an event, and the allowance stops it as well", () => {
  const meter = open();
  meter.allowedTokens = 100_000;
  const text = Buffer.from(`data: {"choices":[{"delta":{"content":"${"some text ".repeat(60_000)}`);
  let passed = 0;
  let blocked = false;
  for (let at = 0; at < text.length && !blocked; at += 16_384) {
    const step = meter.push(text.subarray(at, at + 16_384));
    for (const view of step.forward) passed += view.length;
    ({ blocked } = step);
    if (passed > 0) expect(meter.betweenEvents).toBe(false);
  }
  expect(blocked).toBe(true);
  expect(meter.outputTokens).toBeLessThanOrEqual(100_000);
  meter.allowedTokens = Number.POSITIVE_INFINITY;
  expect(Buffer.concat(meter.resume().forward).length).toBeGreaterThan(16_000);
  meter.push(Buffer.from('"}}]}\n\n'));
  expect(meter.betweenEvents).toBe(true);
});

test("images and comments too long to keep are not billed as text", () => {
  const picture = `data: {"choices":[{"delta":{"images":["${"QUJD".repeat(500_000)}"]}}]}\n\n`;
  const comment = `: ${"comment ".repeat(100_000)}\n\n`;
  for (const stream of [picture, comment]) {
    const meter = open();
    expect(pass(meter, stream, 65_536).toString()).toBe(stream);
    expect(meter.outputTokens).toBeLessThan(100);
    expect(meter.contentSeen).toBe(stream === picture);
  }
});

// An upstream may send anything. Each of these inputs once stalled a gateway for seconds.
test("floods pass in bounded memory", () => {
  const chunk = 65_536;
  const floods: [string, number][] = [
    ["\n", 160], // ten million empty lines
    ["\r", 8],
    ["\r\n", 8],
    ["\0", 8],
    [": c\n", 8],
    ["data:\n\n", 8],
    ["data: {\n", 8],
    ['data: {"a":"\n\n', 8],
    ["data: [[[[[[[[\n\n", 8],
    ['data: {"code":1,"message":""}\n\n', 8],
  ];
  for (const [text, count] of floods) {
    const meter = open();
    const bytes = Buffer.from(text.repeat(Math.ceil(chunk / text.length)));
    let passed = 0;
    for (let round = 0; round < count; round += 1) {
      for (const view of meter.push(bytes).forward) passed += view.length;
    }
    passed += meter.end().tail.length;
    // Everything passes, except perhaps the last, unfinished event of the flood.
    expect(passed, JSON.stringify(text)).toBeGreaterThan(bytes.length * count - 300_000);
  }
});

test("T24: a line of 64 MB is forwarded as it arrives", () => {
  const meter = open();
  const bytes = Buffer.from("abc def ".repeat(8_192));
  let passed = 0;
  let kept = 0;
  for (let round = 0; round < 1_024; round += 1) {
    for (const view of meter.push(bytes).forward) passed += view.length;
    kept = Math.max(kept, (round + 1) * bytes.length - passed);
  }
  expect(kept).toBeLessThanOrEqual(256 * 1024 + bytes.length);
});
