import { noUsage } from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { readUsage as readConverse } from "#formats/bedrock-converse/upstream/read-usage.ts";
import { readUsage as readMessages } from "#formats/anthropic-messages/upstream/read-usage.ts";
import { readUsage as readGemini } from "#formats/gemini-generate/upstream/read-usage.ts";
import { readUsage as readChat } from "#formats/openai-chat/upstream/read-usage.ts";
import { readUsage as readResponses } from "#formats/openai-responses/upstream/read-usage.ts";
import { inputOf, outputOf, type ReadUsage, type Usage } from "#canonical/usage.ts";
import { addReport, sumUp, type UsageReports } from "#canonical/usage-reports.ts";

const ended = { isOver: true, hasOutput: true, isOutdated: false };
const cut = { ...ended, isOver: false };

function together(reports: readonly ReadUsage[]): UsageReports | undefined {
  return reports.reduce<UsageReports | undefined>(addReport, undefined);
}

function usageOf(read: ReadUsage): Usage {
  if (read.kind !== "ok") throw new Error(JSON.stringify(read));
  return read.usage;
}

const chat = (prompt: number, output: number, total?: number) =>
  readChat({
    prompt_tokens: prompt,
    completion_tokens: output,
    ...(total === undefined ? {} : { total_tokens: total }),
  });

test("a stream that ends is charged its last whole report, and one that breaks off its greatest", () => {
  const reports = together([chat(100, 20, 120), chat(90, 60, 150), chat(80, 40, 120)]);

  expect(usageOf(sumUp(reports, ended))).toMatchObject({ input: 80, output: 40 });
  expect(usageOf(sumUp(reports, cut))).toMatchObject({ input: 90, output: 60 });
});

test("a report that is not whole lowers nothing that a whole one has told", () => {
  const reports = together([chat(100, 20, 120), chat(50, 10), chat(0, 30)]);

  expect(usageOf(sumUp(reports, ended))).toMatchObject({ input: 100, output: 30 });
});

test("an impossible report stays one, unless a whole report replaces it", () => {
  const wrong = [chat(10, 5, 15), chat(-1, 5), chat(10, 6)];

  expect(sumUp(together(wrong), ended).kind).toBe("suspect");
  expect(sumUp(together([...wrong, chat(10, 7, 17)]), ended).kind).toBe("ok");
});

test("what was written for an hour stays so when the end repeats the write without its period", () => {
  const first = readMessages({
    input_tokens: 10,
    cache_creation_input_tokens: 500,
    cache_creation: { ephemeral_1h_input_tokens: 500 },
    output_tokens: 1,
  });
  const last = readMessages({
    input_tokens: 10,
    cache_creation_input_tokens: 500,
    output_tokens: 9,
  });

  expect(usageOf(sumUp(together([first, last]), ended))).toMatchObject({
    input: 10,
    cacheWrite5m: 0,
    cacheWrite1h: 500,
    output: 9,
  });
});

test("parts of a prompt that come in two reports are added, each in the way of its vendor", () => {
  const beside = [{ input_tokens: 1_000, output_tokens: 1 }, { cache_read_input_tokens: 2_600 }];
  const inside = [
    { prompt_tokens: 3_600 },
    { prompt_tokens_details: { cached_tokens: 2_600 }, completion_tokens: 9 },
  ];
  const parts = { input: 1_000, cacheRead: 2_600 };

  for (const order of [beside, beside.toReversed()]) {
    expect(usageOf(sumUp(together(order.map(readMessages)), ended))).toMatchObject(parts);
  }
  for (const order of [inside, inside.toReversed()]) {
    expect(usageOf(sumUp(together(order.map(readChat)), ended))).toMatchObject(parts);
  }
});

test("Gemini's thoughts of one report and its candidates of another are both output", () => {
  const thoughts = readGemini({ promptTokenCount: 21, thoughtsTokenCount: 60 });
  const candidates = readGemini({ promptTokenCount: 21, candidatesTokenCount: 5 });

  for (const order of [
    [thoughts, candidates],
    [candidates, thoughts],
  ]) {
    expect(usageOf(sumUp(together(order), ended))).toMatchObject({ output: 5, reasoning: 60 });
  }
});

test("a count of output that came before the output is not all of it", () => {
  const reports = together([readMessages({ input_tokens: 3_600, output_tokens: 1 })]);

  expect(sumUp(reports, { ...ended, isOutdated: true })).toMatchObject({ untold: "output" });
  expect(sumUp(reports, ended)).not.toHaveProperty("untold");
});

test("where nothing came, a last count of 0 is right", () => {
  const reports = together([
    readMessages({ input_tokens: 3_600, output_tokens: 1 }),
    readMessages({ input_tokens: 3_600, output_tokens: 0 }),
  ]);

  const read = sumUp(reports, { ...ended, hasOutput: false });
  expect(usageOf(read)).toEqual({ ...noUsage, input: 3_600 });
});

/** The names of the counts in each format: prompt, output, reasoning, total. */
const spelled = [
  ["openai-chat", readChat, "prompt_tokens", "completion_tokens", "total_tokens"],
  ["openai-responses", readResponses, "input_tokens", "output_tokens", "total_tokens"],
  ["gemini-generate", readGemini, "promptTokenCount", "candidatesTokenCount", "totalTokenCount"],
  ["bedrock-converse", readConverse, "inputTokens", "outputTokens", "totalTokens"],
] as const;

for (const [format, read, prompt, output, total] of spelled) {
  test(`${format}: what is not told is the rest of the total, or the gateway counts it`, () => {
    const rest = { input: 10, output: 141 };
    expect(usageOf(read({ [prompt]: 10, [total]: 151 }))).toMatchObject(rest);
    expect(usageOf(read({ [prompt]: 10, [output]: 0, [total]: 151 }))).toMatchObject(rest);
    expect(usageOf(read({ [output]: 141, [total]: 151 }))).toMatchObject(rest);
    expect(usageOf(read({ [prompt]: 0, [output]: 141, [total]: 151 }))).toMatchObject(rest);
    for (const untold of [{}, { [prompt]: 0 }, { [prompt]: null }]) {
      expect(read({ ...untold, [output]: 141 })).toMatchObject({ untold: "prompt" });
    }
    expect(read({ [prompt]: 10, [output]: 0 })).toMatchObject({ untold: "output" });
    expect(read({ [prompt]: 0, [output]: 0, [total]: 0 })).toEqual({ kind: "zero" });
  });

  test(`${format}: parts above the total are believed and marked`, () => {
    const told = read({ [prompt]: 3_600, [output]: 141, [total]: 3_000 });

    expect(told).toMatchObject({
      usage: { input: 3_600, output: 141 },
      contradiction: "input 3600 + output 141 > total 3000",
    });
    expect(told).not.toHaveProperty("isWhole");
  });
}

test("a prompt of 0 beside what was cached is told", () => {
  const cached = { input: 0, cacheRead: 5_000 };
  const reports = [
    readMessages({ input_tokens: 0, cache_read_input_tokens: 5_000, output_tokens: 9 }),
    readMessages({ cache_read_input_tokens: 5_000, output_tokens: 9 }),
    readConverse({ inputTokens: 0, cacheReadInputTokens: 5_000, outputTokens: 9 }),
    readChat({
      prompt_tokens: 0,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 5_000 },
    }),
  ];
  for (const report of reports) {
    expect(usageOf(report)).toMatchObject(cached);
    expect(report).not.toHaveProperty("untold");
  }
  const written = readMessages({
    input_tokens: 0,
    cache_creation_input_tokens: 700,
    output_tokens: 9,
  });
  expect(written).not.toHaveProperty("untold");
});

test("the total shows whether reasoning is in the output or beside it", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 60 } };
  const inside = { promptTokenCount: 21, candidatesTokenCount: 65, thoughtsTokenCount: 60 };
  const cases: readonly [ReadUsage, number][] = [
    [readGemini({ ...inside, totalTokenCount: 86 }), 65],
    [readGemini({ ...inside, totalTokenCount: 146 }), 125],
    [readGemini(inside), 125],
    [readChat({ prompt_tokens: 21, completion_tokens: 65, total_tokens: 86, ...details }), 65],
    [readChat({ prompt_tokens: 21, completion_tokens: 5, total_tokens: 86, ...details }), 65],
    [
      readResponses({
        input_tokens: 21,
        output_tokens: 5,
        total_tokens: 86,
        output_tokens_details: { reasoning_tokens: 60 },
      }),
      65,
    ],
  ];
  for (const [read, output] of cases) {
    expect([outputOf(usageOf(read)), usageOf(read).reasoning]).toEqual([output, 60]);
    expect(read).toMatchObject({ contradiction: "" });
  }
});

test("reasoning above all output is marked", () => {
  const above = [
    readChat({
      prompt_tokens: 10,
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 20 },
    }),
    readResponses({
      input_tokens: 10,
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 20 },
    }),
    readMessages({
      input_tokens: 10,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 20 },
    }),
  ];
  for (const read of above) {
    expect(read).toMatchObject({ contradiction: "reasoning 20 > output 5" });
  }
});

/** A generator whose numbers are the same in each run. */
function openRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

type Said = { fresh?: number; cached?: number; output?: number; total?: number };

/** Reads what was said in the way of vendors that count the cache beside the prompt, or in it. */
const ways: Readonly<Record<string, (said: Said) => ReadUsage>> = {
  beside: ({ fresh, cached, output, total }) =>
    readConverse({
      inputTokens: fresh,
      cacheReadInputTokens: cached,
      outputTokens: output,
      totalTokens: total,
    }),
  inside: ({ fresh, cached, output, total }) =>
    readChat({
      prompt_tokens: fresh === undefined ? undefined : fresh + (cached ?? 0),
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: output,
      total_tokens: total,
    }),
};

for (const [way, read] of Object.entries(ways)) {
  test(`of any reports no token counts twice where the cache is ${way} the prompt`, () => {
    const random = openRandom(7);
    for (let run = 0; run < 20_000; run += 1) {
      const truth = { fresh: 1 + random(50), cached: random(50), output: 1 + random(50) };
      const sum = truth.fresh + truth.cached + truth.output;
      // Each report leaves counts out, or has zeros for them, or all of the prompt as fresh. Where
      // a report may do that, others that tell the cache tell what is fresh beside it.
      const hasLumps = random(2) === 0;
      const reports: ReadUsage[] = Array.from({ length: 1 + random(5) }, () => {
        if (random(4) === 0) return read({ ...truth, total: sum });
        if (hasLumps && random(3) === 0) {
          return read({ fresh: truth.fresh + truth.cached, cached: 0, output: truth.output });
        }
        const said: Said = {};
        for (const name of ["fresh", "cached", "output"] as const) {
          const fate = random(4);
          if (fate === 1) said[name] = 0;
          else if (fate > 1) said[name] = truth[name];
        }
        return read(hasLumps && (said.cached ?? 0) > 0 ? { ...said, fresh: truth.fresh } : said);
      });
      const all = sumUp(together(reports), ended);
      const best = sumUp(together(reports), cut);
      for (const told of [all, best]) {
        if (told.kind !== "ok") continue;
        const input = inputOf(told.usage);
        const what = JSON.stringify({ truth, reports });
        expect(input, what).toBeLessThanOrEqual(truth.fresh + truth.cached);
        expect(outputOf(told.usage), what).toBeLessThanOrEqual(truth.output);
      }
      const last = reports.at(-1);
      if (last?.kind === "ok" && last.isWhole === true) expect(all).toEqual(last);
    }
  });
}

test("of whole reports alone, the last counts if the stream ends, and else the greatest", () => {
  const random = openRandom(11);
  for (let run = 0; run < 2_000; run += 1) {
    const sums = Array.from({ length: 1 + random(6) }, () => [1 + random(90), 1 + random(90)]);
    const reports = sums.map(([prompt = 0, output = 0]) => chat(prompt, output, prompt + output));
    const greatest = Math.max(...sums.map(([prompt = 0, output = 0]) => prompt + output));
    const best = usageOf(sumUp(together(reports), cut));

    expect(sumUp(together(reports), ended)).toEqual(reports.at(-1) ?? { kind: "missing" });
    expect(inputOf(best) + outputOf(best)).toBe(greatest);
  }
});
