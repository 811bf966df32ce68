/** Reads https://models.dev/api.json: providers with their models; read on 2026-11-30. */

import {
  entriesMax,
  fieldsOf,
  gather,
  notList,
  ownOf,
  readJson,
  readTokens,
  refuse,
  type SourceReader,
  textOf,
  tooManyEntries,
} from "./source-entries.ts";

/** The fields of a price, in dollars per million tokens. */
const names = {
  input: "input",
  output: "output",
  cacheRead: "cache_read",
  cacheWrite5m: "cache_write",
  reasoning: "reasoning",
  inputAudio: "input_audio",
  outputAudio: "output_audio",
} as const;

/** Where prices of long prompts begin, in tokens. */
const longAbove = 200_000;

/** Reads the whole list. A model without a price is left out. */
export const readModelsDev: SourceReader = (text, to) => {
  const providers = fieldsOf(readJson(text));
  if (providers === undefined) return notList;
  let count = 0;
  for (const [id, provider] of Object.entries(providers)) {
    const models = fieldsOf(ownOf(fieldsOf(provider) ?? {}, "models"));
    if (models === undefined) return notList;
    count += Object.keys(models).length;
    if (count > entriesMax) return tooManyEntries;
    for (const [name, model] of Object.entries(models)) {
      const fields = fieldsOf(model) ?? {};
      const cost = ownOf(fields, "cost");
      if (cost === undefined || cost === null) continue;
      const prices = fieldsOf(cost);
      const place = `${id}/${name}`;
      if (prices === undefined) {
        refuse(to, place, "价格类型无法识别");
        continue;
      }
      const tokens = readTokens(prices, names, 0);
      const long = fieldsOf(ownOf(prices, "context_over_200k"));
      const above = long === undefined ? undefined : readTokens(long, names, 0);
      if (!tokens.ok || above?.ok === false) {
        refuse(to, place, tokens.ok ? (above?.ok === false ? above.message : "") : tokens.message);
        continue;
      }
      const steps =
        above === undefined ? {} : { steps: [{ above: longAbove, tokens: above.value }] };
      const entry = textOf(ownOf(fields, "id")) || name;
      gather(to, place, { entry, vendor: id, prices: { tokens: tokens.value, ...steps } });
    }
  }
  return count === 0 ? notList : null;
};
