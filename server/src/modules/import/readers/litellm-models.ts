/** Models of LiteLLM, of its database and its `config.yaml`: each is a channel here. */

import type { ForeignDatabase } from "#db/foreign.ts";
import { brandOfModel } from "@tollgate/contract/words/brands.ts";
import type { NeutralChannel, TableReader } from "#modules/import/import.ts";
import { openValues, RowFault, textOf, type Values } from "#modules/import/values.ts";

/** The table of the database, and the list of the file. */
export const modelTables = ["LiteLLM_ProxyModelTable", "model_list"] as const;

/** Providers by their names there, and the same channel types here. */
const types: Readonly<Record<string, number>> = {
  anthropic: 14,
  azure: 3,
  bedrock: 33,
  cerebras: 1_004,
  cloudflare: 39,
  cohere: 34,
  cohere_chat: 34,
  dashscope: 17,
  deepgram: 1_013,
  deepseek: 43,
  elevenlabs: 1_012,
  fireworks_ai: 1_003,
  gemini: 24,
  groq: 1_001,
  hosted_vllm: 1_007,
  huggingface: 1_005,
  jina_ai: 38,
  lm_studio: 1_009,
  minimax: 35,
  mistral: 42,
  moonshot: 25,
  nvidia_nim: 1_006,
  ollama: 4,
  ollama_chat: 4,
  openai: 1,
  openrouter: 20,
  perplexity: 27,
  replicate: 56,
  "text-completion-openai": 1,
  together_ai: 1_002,
  vertex_ai: 41,
  vllm: 1_007,
  volcengine: 45,
  voyage: 1_011,
  xai: 48,
  xinference: 47,
  zai: 26,
};

/** Makers whose models may stand there without the name of a provider. */
const makers: Readonly<Record<string, string>> = { anthropic: "anthropic", openai: "openai" };

/** How the database has the values of models that its console has added. */
const encrypted = /^[\w=-]{60,}$/;

/** How a value names a variable of the environment. */
const variable = "os.environ/";

type ReadSecret = (name: string) => string | undefined;

/** Reads the texts of a model's parameters, with secrets in place of their names. */
function parametersOf(values: Values, readSecret: ReadSecret) {
  const found = values.object("litellm_params");
  return (name: string): string => {
    const text = textOf(found[name] ?? "");
    if (encrypted.test(textOf(found["model"] ?? ""))) return "";
    return text.startsWith(variable) ? (readSecret(text.slice(variable.length)) ?? "") : text;
  };
}

export function litellmChannels(
  table: (typeof modelTables)[number],
  readSecret: ReadSecret,
): TableReader<NeutralChannel> {
  return {
    table,
    key: "model_id",
    needs: ["model_id", "model_name", "litellm_params"],
    plain: ["created_at", "created_by", "model_info", "updated_at", "updated_by"],
    read(values) {
      const name = values.text("model_name");
      const parameter = parametersOf(values, readSecret);
      if (name === "" || name.includes("*") || parameter("model").includes("*")) {
        throw new RowFault("model_name", "is no name of one model");
      }
      const { provider, model } = providerOf(parameter);
      return {
        id: values.text("model_id"),
        name,
        type: types[provider] ?? null,
        typeName: provider === "" ? "that is not named or encrypted" : provider,
        isEnabled: values.whole("blocked") === 0,
        keys: keysOf(provider, parameter),
        baseUrl: parameter("api_base").replace(/\/$/, ""),
        other: parameter("vertex_location") || parameter("api_version"),
        models: name,
        group: "default",
        modelMapping: model === name || model === "" ? "" : JSON.stringify({ [name]: model }),
        statusCodeMapping: "",
        paramOverride: "",
        proxy: "",
        tag: "",
        priority: 0,
        weight: Math.max(0, Math.round(Number(parameter("weight")) || 0)),
        isAutoDisabled: true,
        organization: parameter("organization"),
        testModel: "",
        usedQuota: 0,
      };
    },
  };
}

/** Divides a name such as `azure/my-gpt` into the provider and its own name of the model. */
function providerOf(parameter: (name: string) => string) {
  const whole = parameter("model");
  const slash = whole.indexOf("/");
  const first = whole.slice(0, Math.max(0, slash));
  const named = parameter("custom_llm_provider");
  if (Object.hasOwn(types, first)) return { provider: first, model: whole.slice(slash + 1) };
  if (named !== "") return { provider: named, model: whole };
  const maker = makers[brandOfModel(whole)?.id ?? ""] ?? "";
  return { provider: maker === "" ? first : maker, model: whole };
}

/** Puts what a provider wants as its key into the form that channels have here. */
function keysOf(provider: string, parameter: (name: string) => string): readonly string[] {
  if (provider === "vertex_ai") return present(parameter("vertex_credentials"));
  if (provider !== "bedrock") return present(parameter("api_key"));
  const region = parameter("aws_region_name");
  const secret = parameter("aws_secret_access_key");
  if (secret === "") return present(parameter("api_key")).map((key) => `${key}|${region}`);
  return [`${parameter("aws_access_key_id")}|${secret}|${region}`];
}

function present(key: string): string[] {
  return key === "" ? [] : [key];
}

/** Prices by the token there, and the same prices here as a share of the input's. */
const shares = {
  CompletionRatio: "output_cost_per_token",
  CacheRatio: "cache_read_input_token_cost",
  CreateCacheRatio: "cache_creation_input_token_cost",
} as const;

const modelsMax = 10_000;

/** Reads the prices that models have of their own; those in LiteLLM's own list are not there. */
export async function readModelPrices(
  source: ForeignDatabase,
  dollar: number,
): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, Record<string, number>>();
  const put = (part: string, model: string, value: number): void => {
    parts.set(part, { ...parts.get(part), [model]: value });
  };
  for (const table of modelTables) {
    if (!source.tables.has(table)) continue;
    const rows = await source.page(table, { key: "model_id", after: null, limit: modelsMax });
    for (const row of rows) {
      const values = openValues(row);
      const model = values.text("model_name");
      const costs = { ...values.object("litellm_params"), ...values.object("model_info") };
      const input = Number(costs["input_cost_per_token"]);
      if (!(input > 0)) continue;
      put("ModelRatio", model, input * dollar);
      for (const [part, name] of Object.entries(shares)) {
        const cost = Number(costs[name] ?? Number.NaN);
        if (cost >= 0) put(part, model, cost / input);
      }
    }
  }
  return new Map([...parts].map(([part, map]) => [part, JSON.stringify(map)]));
}
