/**
 * Reads https://openrouter.ai/api/v1/models: dollars per token, request and search as texts; read on
 * 2026-11-30. Models whose price is that of another model say −1 and are refused.
 */

import {
  entriesMax,
  fieldsOf,
  gather,
  notList,
  ownOf,
  readAmount,
  readJson,
  readTokens,
  refuse,
  type SourceReader,
  textOf,
  tooManyEntries,
} from "./source-entries.ts";

const names = { input: "prompt", output: "completion" } as const;

/** Kinds of tokens that cost what others cost where the list says 0. */
const furtherNames = {
  cacheRead: "input_cache_read",
  cacheWrite5m: "input_cache_write",
  reasoning: "internal_reasoning",
  inputAudio: "audio",
} as const;

/** By how many places dollars for one become dollars for a million tokens, and for 1,000 calls. */
const perMillion = 6;
const perThousand = 3;

/** Reads the whole list. */
export const readOpenRouter: SourceReader = (text, to) => {
  const data = ownOf(fieldsOf(readJson(text)) ?? {}, "data");
  if (!Array.isArray(data)) return notList;
  if (data.length > entriesMax) return tooManyEntries;
  for (const [at, model] of data.entries()) {
    const fields = fieldsOf(model) ?? {};
    const entry = textOf(ownOf(fields, "id"));
    const place = entry === "" ? `#${at + 1}` : entry;
    const pricing = fieldsOf(ownOf(fields, "pricing"));
    if (pricing === undefined) {
      refuse(to, place, "价格类型无法识别");
      continue;
    }
    const tokens = readTokens(pricing, names, perMillion);
    const further = readTokens(withoutZeros(pricing), furtherNames, perMillion);
    const searches = readSearches(withoutZeros(pricing));
    if (!tokens.ok) refuse(to, place, tokens.message);
    else if (!further.ok) refuse(to, place, further.message);
    else if (!searches.ok) refuse(to, place, searches.message);
    else {
      const { call, search } = searches.value;
      const fees = call === undefined && search === undefined ? {} : { searches: searches.value };
      const prices = { tokens: { ...tokens.value, ...further.value }, ...fees };
      gather(to, place, { entry, vendor: entry.split("/")[0] ?? "", prices });
    }
  }
  return null;
};

function withoutZeros(pricing: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(pricing).filter(([, of]) => Number(of) !== 0));
}

type Searches = { readonly call?: string; readonly search?: string };

/** Reads what requests and searches cost beside the tokens. */
function readSearches(pricing: Readonly<Record<string, unknown>>) {
  const found: { call?: string; search?: string } = {};
  for (const [name, to] of [
    ["request", "call"],
    ["web_search", "search"],
  ] as const) {
    const value = ownOf(pricing, name);
    if (value === undefined || value === null) continue;
    const read = readAmount(value, perThousand);
    if (!read.ok) return { ok: false, message: `${name}：${read.message}` } as const;
    found[to] = read.value;
  }
  const value: Searches = found;
  return { ok: true, value } as const;
}
