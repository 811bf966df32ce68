import { expect, test } from "bun:test";
import { brandOfType } from "@tollgate/contract/words/brands.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Modality } from "#canonical/modality.ts";
import type { Provider } from "./provider.ts";
import { findProvider, providers } from "./registry.ts";
import { modelsUrl, serves, upstreamUrl } from "./upstream-url.ts";

const all = Object.entries<Provider>(providers);
const format = "openai-chat";

/** Files in this folder that do not define a provider. */
const others = [
  "aws-signature.ts",
  "base-url.ts",
  "fault-meaning.ts",
  "google-account.ts",
  "openai-compatible.ts",
  "provider.ts",
  "read-balance.ts",
  "read-fault.ts",
  "registry.ts",
  "signing.ts",
  "task-channels.ts",
  "upstream-url.ts",
  "written-body.ts",
];

test("every file is registered under its own name, sorted", () => {
  const files = readdirSync(import.meta.dir).filter(
    (file) => !file.endsWith(".test.ts") && !others.includes(file),
  );
  const names = all.map(([name]) => name);

  expect(names).toEqual(names.toSorted());
  expect(new Set(names)).toEqual(new Set(files.map((file) => file.replace(".ts", ""))));
  for (const [name, { id, label, source }] of all) {
    expect(id).toBe(name);
    expect(label.length * source.length, name).toBeGreaterThan(0);
  }
});

test("each type belongs to one provider, and every known provider of the format is registered", () => {
  const types = all.map(([, { type }]) => type);

  expect(types).toEqual([...new Set(types)]);
  expect(types).toEqual(
    expect.arrayContaining([
      1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 31, 33,
      34, 35, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
    ]),
  );
  for (const type of types) expect(findProvider(type)?.type).toBe(type);
  expect(findProvider(2)?.formats).toEqual({});
  expect(findProvider(999)).toBeUndefined();
});

// `contract/src/words/brands.ts` has the name and mark of each provider's brand.
test("every provider belongs to a brand", () => {
  const homeless = all.filter(([, { type }]) => brandOfType(type) === null);

  expect(homeless.map(([name]) => name)).toEqual([]);
});

function urlOf(
  type: number,
  options: { base?: string; other?: string; model?: string; modality?: Modality } = {},
) {
  const provider = findProvider(type);
  if (provider === undefined) throw new Error(`no type ${type}`);
  const baseUrl = options.base ?? provider.baseUrl ?? "";
  return upstreamUrl(provider, {
    channel: { baseUrl, other: options.other ?? "", organization: "" },
    format,
    modality: options.modality ?? "chat",
    model: options.model ?? "m",
    isStream: false,
  });
}

test("calls go to each vendor's own paths", () => {
  const chat: [number, string | undefined][] = [
    [1, "https://api.openai.com/v1/chat/completions"],
    [4, "http://localhost:11434/v1/chat/completions"],
    [8, undefined],
    [17, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [20, "https://openrouter.ai/api/v1/chat/completions"],
    [22, "https://fastgpt.run/api/openapi/v1/chat/completions"],
    [26, "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
    [27, "https://api.perplexity.ai/chat/completions"],
    [35, "https://api.minimax.chat/v1/text/chatcompletion_v2"],
    [42, "https://api.mistral.ai/v1/chat/completions"],
    [43, "https://api.deepseek.com/chat/completions"],
    [44, undefined],
    [45, "https://ark.cn-beijing.volces.com/api/v3/chat/completions"],
    [46, "https://qianfan.baidubce.com/v2/chat/completions"],
    [47, undefined],
    [48, "https://api.x.ai/v1/chat/completions"],
  ];
  for (const [type, url] of chat) expect(urlOf(type), String(type)).toBe(url);
  expect(urlOf(39, { other: "acc" })).toBe(
    "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions",
  );
  expect(urlOf(43, { modality: "completions" })).toBe("https://api.deepseek.com/beta/completions");
  expect(urlOf(44, { modality: "embeddings" })).toBe("https://api.moka.ai/embeddings");
  expect(urlOf(45, { model: "bot-2024" })).toBe(
    "https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions",
  );
});

test("a channel's base URL replaces the provider's", () => {
  const groq = "https://api.groq.com/openai";
  expect(urlOf(1, { base: groq })).toBe(`${groq}/v1/chat/completions`);
  // Administrators paste the base URL with its version, because vendors document it so.
  expect(urlOf(1, { base: `${groq}/v1` })).toBe(`${groq}/v1/chat/completions`);
  expect(urlOf(45, { base: "https://h/api/v3" })).toBe("https://h/api/v3/chat/completions");
  expect(urlOf(27, { base: "https://h/chat" })).toBe("https://h/chat/chat/completions");
  expect(urlOf(47, { base: "http://h:9997", modality: "embeddings" })).toBe(
    "http://h:9997/v1/embeddings",
  );
  const gateway = "https://gateway.ai.cloudflare.com/v1/acc/gw/openai";
  expect(urlOf(1, { base: gateway })).toBe(`${gateway}/chat/completions`);
  expect(urlOf(48, { base: gateway })).toBe(`${gateway}/v1/chat/completions`);
});

// The client names the model, so the model must not be able to change where the call goes.
test("a custom channel's address is complete except for the model, which cannot change the rest", () => {
  const base = "https://h/a/{model}/b?v=1";
  expect(urlOf(8, { base, model: "gpt-4o" })).toBe("https://h/a/gpt-4o/b?v=1");
  expect(urlOf(8, { base, model: "../x?y#z&{model}" })).toBe(
    "https://h/a/..%2Fx%3Fy%23z%26%7Bmodel%7D/b?v=1",
  );
  expect(urlOf(8, { base: "https://h/full", modality: "embeddings" })).toBe("https://h/full");
  expect(urlOf(39, { other: "../x" })).toContain("/accounts/..%2Fx/ai/");
});

test("what a provider does not support is known before it is called", () => {
  const moka = providers.moka;
  expect(serves(moka, { format, modality: "chat" })).toBe(false);
  expect(serves(moka, { format, modality: "embeddings" })).toBe(true);
  const channel = { baseUrl: "https://api.openai.com", other: "", organization: "" };
  expect(modelsUrl(providers.openai, channel)).toBe("https://api.openai.com/v1/models");
  expect(modelsUrl(providers.moka, channel)).toBeUndefined();
});

/** Returns the key of vendors with a header of their own. */
function ownHeader(headers: Readonly<Record<string, string>>): string | undefined {
  return (
    headers["x-api-key"] ?? headers["xi-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"]
  );
}

test("the key is sent in the header that each vendor reads", () => {
  const channel = { baseUrl: "", other: "", organization: "" };
  for (const [name, provider] of all) {
    const headers = provider.authHeaders("k", channel);
    if (provider.sign !== undefined && Object.keys(headers).length === 0) continue;
    const sent = headers["authorization"] ?? ownHeader(headers);
    expect(sent, name).toMatch(/^(Bearer )?k$/);
    for (const header of Object.keys(headers)) expect(header).toBe(header.toLowerCase());
  }
  expect(providers.ollama.authHeaders("", channel)).toEqual({});
  expect(providers.openai.authHeaders("k", { ...channel, organization: "o" })).toEqual({
    authorization: "Bearer k",
    "openai-organization": "o",
  });
  expect(providers.ali.authHeaders("k", { ...channel, other: "{}" })).toEqual({
    authorization: "Bearer k",
    "x-dashscope-plugin": "{}",
  });
  expect(providers.openrouter.authHeaders("k", channel)).toHaveProperty("x-title");
});

test("O-139 to O-147 O-170 to O-174: the console has each provider's hint of the channel form in both languages", () => {
  const file = join(import.meta.dir, "../../../web/src/widgets/channels/provider-text.ts");
  const translated = readFileSync(file, "utf8");
  const hints = all.flatMap(([, { keyForm, otherForm, baseUrlForm }]) => [
    keyForm,
    otherForm ?? "",
    baseUrlForm ?? "",
  ]);
  const missing = hints.filter((hint) => hint !== "" && !translated.includes(hint));
  expect([...new Set(missing)]).toEqual([]);
});
