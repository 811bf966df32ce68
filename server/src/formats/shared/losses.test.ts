import { expect, test } from "bun:test";
import { formats } from "#formats/registry.ts";
import { translations } from "#formats/translation-registry.ts";
import { boundLosses, lossesMax, openLosses } from "./losses.ts";

/** A name of a megabyte, as a client may invent it, with a secret of a prompt in it. */
const invented = `my secret prompt ${"x".repeat(1_000_000)}`;

/** A request of each format that invents names wherever one can end up among the losses. */
const requests = {
  "openai-chat": {
    model: "m",
    [invented]: 1,
    store_: 1,
    tools: [{ type: invented }],
    messages: [{ role: "user", content: [{ type: invented, [invented]: 1 }] }],
  },
  "openai-responses": {
    model: "m",
    [invented]: 1,
    tools: [{ type: invented }],
    input: [
      { role: "user", content: [{ type: invented }] },
      { type: invented, id: "x" },
    ],
  },
  "anthropic-messages": {
    model: "m",
    max_tokens: 5,
    [invented]: 1,
    tools: [{ type: invented, name: "x" }],
    messages: [{ role: "user", content: [{ type: invented }, { type: "image", source: {} }] }],
  },
  "gemini-generate": {
    [invented]: 1,
    generationConfig: { [invented]: 1 },
    tools: [{ [invented]: {} }],
    contents: [{ role: "user", parts: [{ text: "hi" }, { [invented]: {} }] }],
  },
} as const;

test("no name that a client invents stands among the losses, for any pair of formats", () => {
  let pairs = 0;
  for (const [id, body] of Object.entries(requests)) {
    const { client } = translations[id as keyof typeof requests];
    const parsed = client?.parseRequest(body, { modality: "chat", model: "m", stream: false });
    if (parsed === undefined || "message" in parsed) throw new Error(`${id} does not parse`);
    for (const { upstream } of Object.values(translations)) {
      const written = upstream?.writeRequest(parsed.request, {});
      const told = written === undefined || "message" in written ? [] : written.losses;
      const losses = [...parsed.losses, ...told];
      expect([
        id,
        losses.filter((name) => name.includes("secret")).map((name) => name.slice(0, 60)),
      ]).toEqual([id, []]);
      expect(JSON.stringify(boundLosses(losses)).length).toBeLessThan(lossesMax * 70);
      expect(losses.some((name) => name.startsWith("unknown fields: "))).toBe(true);
      pairs += 1;
    }
  }
  expect(pairs).toBeGreaterThan(4 * 10);
  expect(Object.keys(formats)).toContain("openai-chat");
});

test("documented names are named, also with a date behind them, and others are counted", () => {
  const losses = openLosses();
  losses.addGiven("web_search_20250305", "tools.");
  losses.addGiven("web_search_20250305", "tools.");
  losses.addGiven("prediction");
  losses.addGiven("web_search_", "tools.");
  for (const name of ["x", "", "__proto__", "web_search_2025x", "9".repeat(500)]) {
    losses.addGiven(name);
  }
  expect(losses.names).toEqual([
    "tools.web_search_20250305",
    "prediction",
    "tools.web_search_",
    "unknown fields: 5",
  ]);
});

test("what the request and the answer's translation only count is one number", () => {
  const names = ["logit_bias", "unknown fields: 3", "seed", "logit_bias", "unknown fields: 1"];
  expect(boundLosses(names)).toEqual(["logit_bias", "seed", "unknown fields: 4"]);
  expect(boundLosses(["unknown fields: 3"])).toEqual(["unknown fields: 3"]);
});

test("at most twenty names are kept, and the last says how many more there were", () => {
  const names = Array.from({ length: 50 }, (_, at) => `${at} ${"x".repeat(100)}`);
  const bounded = boundLosses(names);
  expect([bounded.length, bounded[0]?.length, bounded.at(-1)]).toEqual([20, 64, "and 31 more"]);
});
