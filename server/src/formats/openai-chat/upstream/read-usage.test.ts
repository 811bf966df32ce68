import { noUsage } from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { inputOf, judgeUsage, outputOf, unseenTokensMax } from "#canonical/usage.ts";
import { readUsage } from "./read-usage.ts";

test("inclusive counts become disjoint ones", () => {
  const read = readUsage({
    prompt_tokens: 100,
    completion_tokens: 60,
    total_tokens: 160,
    prompt_tokens_details: {
      cached_tokens: 30,
      cache_write_tokens: 20,
      audio_tokens: 10,
      image_tokens: 5,
    },
    completion_tokens_details: { reasoning_tokens: 25, audio_tokens: 15, image_tokens: 4 },
  });

  expect(read).toEqual({
    kind: "ok",
    isWhole: true,
    totalDiffers: false,
    contradiction: "",
    usage: {
      input: 35,
      cacheRead: 30,
      cacheWrite5m: 20,
      cacheWrite1h: 0,
      inputAudio: 10,
      inputImage: 5,
      output: 16,
      reasoning: 25,
      outputAudio: 15,
      outputImage: 4,
    },
  });
});

function readGood(raw: object) {
  const read = readUsage(raw);
  if (read.kind !== "ok") throw new Error(JSON.stringify(read));
  return read;
}

function usageOf(raw: object) {
  const { usage, totalDiffers } = readGood(raw);
  return {
    input: inputOf(usage),
    cached: usage.cacheRead,
    output: outputOf(usage),
    reasoning: usage.reasoning,
    totalDiffers,
  };
}

test("vendors that count differently are recognised by their total", () => {
  const prompt = { prompt_tokens: 10, completion_tokens: 4 };
  const plain = { input: 10, cached: 0, output: 4, reasoning: 0, totalDiffers: false };
  const cases: [string, object, object][] = [
    [
      "xAI: thinking beside the completion",
      { total_tokens: 34, completion_tokens_details: { reasoning_tokens: 20 } },
      { output: 24, reasoning: 20 },
    ],
    [
      "xAI without a total: no part is larger than its whole",
      { completion_tokens_details: { reasoning_tokens: 20 } },
      { output: 24, reasoning: 20 },
    ],
    [
      "Mistral: audio beside the prompt",
      { total_tokens: 44, prompt_tokens_details: { audio_tokens: 30 } },
      { input: 40 },
    ],
    ["Gemini: thinking in the total only", { total_tokens: 34 }, { output: 24, reasoning: 20 }],
    ["DeepSeek", { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }, { cached: 6 }],
    ["Moonshot", { cached_tokens: 6 }, { cached: 6 }],
    ["Mistral", { num_cached_tokens: 6 }, { cached: 6 }],
    ["Writer", { prompt_token_details: { cached_tokens: 6 } }, { cached: 6 }],
    ["Azure's DeepSeek", { reasoning_tokens: 3 }, { reasoning: 3 }],
    [
      "any other difference is not billed, but logged",
      { total_tokens: 99, prompt_tokens_details: null },
      { totalDiffers: true },
    ],
    ["a smaller total as well", { total_tokens: 9 }, { totalDiffers: true }],
  ];
  for (const [name, more, expected] of cases) {
    expect(usageOf({ ...prompt, ...more }), name).toEqual({ ...plain, ...expected });
  }
});

test("embeddings have input only", () => {
  expect(usageOf({ prompt_tokens: 7, total_tokens: 7 })).toMatchObject({ input: 7, output: 0 });
  expect(usageOf({ total_tokens: 7 })).toMatchObject({ input: 7, output: 0 });
});

test("parts never add up to more than the whole", () => {
  const { usage } = readGood({
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8, audio_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 4 },
    total_tokens: 15,
  });

  expect([inputOf(usage), outputOf(usage)]).toEqual([10, 5]);
  expect(Math.min(...Object.values(usage).map(Number))).toBe(0);
});

// No user may be billed an impossible number of tokens, whatever an upstream reports.
test("hostile figures are suspect", () => {
  const good = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const wrong = [-1, 1.5, "5", true, [], {}, Number.NaN, 1e308, 10_000_001];
  for (const name of Object.keys(good)) {
    for (const value of wrong) {
      expect(
        readUsage({ ...good, [name]: value }),
        `${name} ${JSON.stringify(value)}`,
      ).toMatchObject({
        kind: "suspect",
        reason: expect.stringContaining(name),
      });
    }
  }
  const details = [
    { prompt_tokens_details: { cached_tokens: 11 } },
    { prompt_tokens_details: { cached_tokens: -1 } },
    { completion_tokens_details: { reasoning_tokens: 0.5 } },
    { prompt_cache_hit_tokens: 11 },
  ];
  for (const detail of details) {
    expect(readUsage({ ...good, ...detail })).toMatchObject({ kind: "suspect" });
  }
});

test("no usage is missing", () => {
  const nothing = [undefined, null, [], "usage", {}, { prompt_tokens: null, completion_tokens: 0 }];
  for (const raw of nothing) expect(readUsage(raw)).toEqual({ kind: "missing" });
});

test("a report of zeros differs from no report: an empty answer with it is free", () => {
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

  expect(readUsage(zeros)).toEqual({ kind: "zero" });
});

test("more reasoning than output is billed as output, and reported", () => {
  const raw = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    completion_tokens_details: { reasoning_tokens: 50 },
  };

  expect(readGood(raw)).toMatchObject({
    usage: { output: 0, reasoning: 5 },
    contradiction: "reasoning 50 > output 5",
  });
});

test("visible output must be possible for the bytes received", () => {
  const usage = { ...noUsage, input: 10, output: 5 };

  const judge = (more: object, bytes: number, outputMax = 100) =>
    judgeUsage({ ...usage, ...more }, bytes, outputMax);
  expect(judge({}, 0)).toBe("plausible");
  expect(judge({ output: 0 }, 1)).toBe("impossible");
  expect(judge({ output: 100 + unseenTokensMax }, 100)).toBe("plausible");
  expect(judge({ output: 101 + unseenTokensMax }, 100)).toBe("impossible");
  expect(judge({ reasoning: 1_000_000 }, 5)).toBe("plausible");
  // Resellers remove the details of reasoning, so a count of more output than was sent is believed
  // up to the call's limit.
  expect(judge({ output: 8_000 }, 300, 8_000)).toBe("hidden");
  expect(judge({ output: 8_001 }, 300, 8_000)).toBe("impossible");
});
