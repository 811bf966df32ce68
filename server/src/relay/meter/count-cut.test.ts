import { expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import { openLogger } from "#base/logger.ts";
import type { Work } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { countCut, type UsageTrust } from "./count.ts";
import { openStreamMeter, type StreamEnd } from "./stream-meter.ts";

/** A tokenizer that finds a token in every five characters, and eight in every prompt. */
const deps = {
  log: openLogger("silent"),
  tokenizer: {
    count: async (_model: string, text: string) => Math.ceil(text.length / 5),
    countPrompt: async () => 8,
    warm() {},
  },
};

const call = {
  formatId: "openai-chat",
  model: "m",
  bytes: new Uint8Array(),
  body: { mediaParts: 0, modality: "chat", textBytes: 2 },
  tried: [],
  promptTokens: null,
} as const;

const trusting: UsageTrust = { outputMax: 4_096, onlyVisible: false };

const told = (usage: Partial<Usage>, more: Partial<ReadUsage> = {}): ReadUsage => ({
  kind: "ok",
  usage: { ...noUsage, ...usage },
  totalDiffers: false,
  contradiction: "",
  ...(more as object),
});

/** A stream that has brought this many words of one token each. */
function came(words: number, usage: ReadUsage, more: Partial<StreamEnd> = {}): StreamEnd {
  return {
    tail: new Uint8Array(),
    usage,
    seenUsage: usage,
    tier: "",
    searches: 0,
    text: "word ".repeat(words),
    textTruncated: false,
    issued: [],
    contentBytes: words * 5,
    outputTokens: words * 2,
    reasoningShare: 0,
    complete: false,
    ...more,
  };
}

const prompt = { input: 101, cacheRead: 50_000 };
const count = async (end: StreamEnd, trust = trusting) => await countCut(deps, call, end, trust);

test("a stream that did not end is charged the output that came, not that of its first report", async () => {
  const counted = await count(came(1_500, told({ ...prompt, output: 1 })));
  expect(counted).toEqual({
    usage: { ...noUsage, ...prompt, output: 1_500 },
    source: "upstream+seen",
    doubt: "",
    hiddenOutput: false,
    seen: 1_500,
  });
});

test("where the upstream has reported more output than came, that is charged", async () => {
  const { usage, seen } = await count(came(10, told({ ...prompt, output: 400 })));
  expect([usage.output, seen]).toEqual([400, 10]);
});

test("a prompt that was reported alone is believed, and what came is the output", async () => {
  const { usage, source } = await count(came(7, told(prompt, { untold: "output" } as object)));
  expect([usage, source]).toEqual([{ ...noUsage, ...prompt, output: 7 }, "upstream+seen"]);
});

test("a prompt that was not reported is counted and marked", async () => {
  const { usage, source, doubt } = await count(
    came(7, told({ output: 3 }, { untold: "prompt" } as object)),
  );
  expect([usage, source]).toEqual([{ ...noUsage, input: 8, output: 7 }, "upstream+seen"]);
  expect(doubt).toBe("the upstream did not tell the prompt");
});

test("hidden reasoning that was reported is charged beside the output that came", async () => {
  const { usage } = await count(came(100, told({ ...prompt, reasoning: 300 })));
  expect(usage).toEqual({ ...noUsage, ...prompt, output: 100, reasoning: 300 });
});

test("reasoning that came as text is no output where it was reported apart", async () => {
  const shown = { reasoningShare: 0.4 };
  const apart = await count(came(100, told({ ...prompt, output: 5, reasoning: 300 }), shown));
  expect(apart.usage).toEqual({ ...noUsage, ...prompt, output: 60, reasoning: 300 });
  const fewer = await count(came(100, told({ ...prompt, reasoning: 30 }), shown));
  expect(fewer.usage).toEqual({ ...noUsage, ...prompt, output: 60, reasoning: 40 });
  const together = await count(came(100, told({ ...prompt, output: 5 }), shown));
  expect(together.usage).toEqual({ ...noUsage, ...prompt, output: 100 });
});

test("what came beyond the kept text is estimated, as everywhere", async () => {
  const { usage, seen } = await count(
    came(40_000, told({ ...prompt, output: 1 }), { textTruncated: true, outputTokens: 39_000 }),
  );
  expect([usage.output, seen]).toEqual([39_000, 39_000]);
});

test("a report that cannot be right is not believed in part either", async () => {
  const impossible = await count(came(7, told({ ...prompt, output: 9_000 })));
  expect([impossible.source, impossible.usage]).toEqual([
    "suspect",
    { ...noUsage, input: 8, output: 7 },
  ]);
  const hidden = told({ ...prompt, output: 2_000 });
  expect(await count(came(7, hidden))).toMatchObject({
    hiddenOutput: true,
    source: "upstream+seen",
  });
  const visible = { ...trusting, onlyVisible: true };
  expect(await count(came(7, hidden), visible)).toMatchObject({ source: "suspect" });
});

test("without a report, prompt and output are counted here", async () => {
  for (const kind of ["missing", "zero"] as const) {
    const { usage, source, seen } = await count(came(7, { kind }));
    expect([usage, source, seen]).toEqual([{ ...noUsage, input: 8, output: 7 }, "local", 7]);
  }
});

test("a transcript that did not end is charged its sound and the words that came", async () => {
  const work: Work = { callThousandths: 1_000, input: 60, inputMax: 100, outputMax: 50 };
  const ask = async (end: StreamEnd) =>
    await countCut(deps, { ...call, body: { ...call.body, work } }, end, trusting);
  expect(await ask(came(20, { kind: "missing" }))).toMatchObject({
    usage: { input: 60, output: 20, callThousandths: 1_000 },
    source: "local",
    seen: 20,
  });
  expect(await ask(came(20, told({ inputAudio: 55, output: 1 })))).toMatchObject({
    usage: { inputAudio: 55, output: 20 },
    source: "upstream+seen",
  });
  expect(await ask(came(900, { kind: "missing" }))).toMatchObject({ usage: { output: 50 } });
});

const event = (payload: object): Buffer => Buffer.from(`data: ${JSON.stringify(payload)}\n\n`);

test("the reasoning in the text of a stream is known in the formats that count it apart", () => {
  const parts = (text: string, thought: boolean) => ({
    candidates: [{ content: { parts: [thought ? { text, thought } : { text }] } }],
  });
  const deltas = (delta: object) => ({ choices: [{ index: 0, delta }] });
  const streams = [
    [formats["gemini-generate"], parts("1234", true), parts("123456", false), parts("", true)],
    [
      formats["openai-chat"],
      deltas({ reasoning_content: "12", reasoning: "12" }),
      deltas({ content: "123456" }),
      deltas({ reasoning_details: [{ type: "reasoning.text", text: "34" }] }),
    ],
  ] as const;
  for (const [{ upstream: format }, ...events] of streams) {
    const { readUsage } = format;
    const meter = openStreamMeter({ format, dropUsage: false, readUsage });
    for (const one of events) meter.push(event(one));
    const { contentBytes, reasoningShare } = meter.end();
    expect([contentBytes, reasoningShare]).toEqual([10, 0.4]);
  }
});
