/**
 * one-hub, which came from one-api: tokens keep their limits in JSON, prices and groups have tables
 * of their own, and channel types from 24 on have other numbers than here.
 */

import type { ForeignDatabase, ForeignRow } from "#db/foreign.ts";
import type { NeutralSettings, NeutralToken, TableReader } from "#modules/import/import.ts";
import { openValues } from "#modules/import/values.ts";
import { findProvider } from "#providers/registry.ts";
import { familyChannels, familyReader, familyTokens } from "./family.ts";

/** The first type whose number means something else here. */
const firstOther = 24;

/** Types of one-hub by their numbers, and the same types here. */
const types: Readonly<Record<number, number>> = {
  25: 24, // Gemini
  27: 35, // MiniMax
  28: 43, // DeepSeek
  29: 25, // Moonshot
  30: 42, // Mistral
  31: 1_001, // Groq
  32: 33, // AWS Bedrock
  33: 31, // 01.AI
  35: 39, // Cloudflare
  36: 34, // Cohere
  38: 49, // Coze
  39: 4, // Ollama
  40: 23, // Tencent Hunyuan
  41: 36, // Suno
  42: 41, // Vertex AI
  45: 40, // SiliconFlow
  47: 38, // Jina AI
  52: 56, // Replicate
  53: 50, // Kling
  56: 48, // xAI
};

/** Reads the limits of models and addresses, each of which counts only where it is enabled. */
function limitsOf(values: ReturnType<typeof openValues>) {
  const limits = Object(values.object("setting")["limits"]);
  const models = Object(limits["limit_model_setting"]);
  const addresses = Object(limits["limits_ip_setting"]);
  return {
    models: models["enabled"] === true ? textsOf(models["models"]) : null,
    allowIps: addresses["enabled"] === true ? textsOf(addresses["whitelist"]).join("\n") : "",
  };
}

function textsOf(list: unknown): string[] {
  const texts = Array.isArray(list) ? list.map((each) => String(each).trim()) : [];
  return [...new Set(texts)].filter((text) => text !== "");
}

const plainTokens = familyTokens({ models: "", limited: "", addresses: "" });

const tokens: TableReader<NeutralToken> = {
  ...plainTokens,
  read: (values) => ({ ...plainTokens.read(values), ...limitsOf(values) }),
};

export const oneHub = familyReader({
  kind: "one-hub",
  recognizes: (tables) =>
    tables.get("tokens")?.includes("setting") === true &&
    tables.get("prices")?.includes("channel_type") === true,
  tokens,
  channels: familyChannels((type) => {
    const own = type < firstOther ? type : types[type];
    return own === undefined || findProvider(own) === undefined ? null : own;
  }),
  readMore: readPricesAndGroups,
  more: ["prices", "user_groups"],
});

const rowsAtOnce = 20_000;

/**
 * Reads prices of models, whose unit is that of ratios here: 0.002 dollars for 1,000 tokens, or for
 * a call of a model that is paid by the call; and the ratios of groups.
 */
async function readPricesAndGroups(
  source: ForeignDatabase,
  found: NeutralSettings,
): Promise<NeutralSettings> {
  const ratios: [string, number][] = [];
  const completions: [string, number][] = [];
  const calls: [string, number][] = [];
  for (const row of await rowsOf(source, "prices", "model")) {
    const model = openValues(row).text("model");
    const { input, output } = { input: Number(row["input"]), output: Number(row["output"]) };
    if (row["type"] === "times") calls.push([model, input * dollarsPerRatio]);
    else {
      ratios.push([model, input]);
      if (input > 0) completions.push([model, output / input]);
    }
  }
  const groups = (await rowsOf(source, "user_groups", "symbol")).map((row): [string, number] => [
    openValues(row).text("symbol"),
    Number(row["ratio"]),
  ]);
  const prices = new Map(found.prices);
  const put = (name: string, entries: readonly [string, number][]): void => {
    if (entries.length > 0) prices.set(name, JSON.stringify(Object.fromEntries(entries)));
  };
  put("ModelRatio", ratios);
  put("CompletionRatio", completions);
  put("ModelPrice", calls);
  put("GroupRatio", groups);
  return { ...found, prices };
}

/** What a call costs at a price of 1, in dollars. */
const dollarsPerRatio = 0.002;

async function rowsOf(
  source: ForeignDatabase,
  table: string,
  key: string,
): Promise<readonly ForeignRow[]> {
  if (!source.tables.has(table)) return [];
  return await source.page(table, { key, after: null, limit: rowsAtOnce });
}
