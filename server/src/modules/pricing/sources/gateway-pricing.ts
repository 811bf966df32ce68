/**
 * Reads what a gateway of the family, this one included, answers at `/api/pricing`: a row a model,
 * with ratios or a price per call; read on 2026-11-30. The ratios of its groups are left out.
 */

import { pricesOfRatios } from "./ratios.ts";
import {
  entriesMax,
  fieldsOf,
  gather,
  notList,
  ownOf,
  readJson,
  refuse,
  type SourceReader,
  textOf,
  tooManyEntries,
} from "./source-entries.ts";

/** How rows say that they have prices of tokens, and that they have one per call. */
const byTokens = 0;
const byCall = 1;

/** Reads the whole answer. */
export const readGatewayPricing: SourceReader = (text, to) => {
  const answer = readJson(text);
  const data = Array.isArray(answer) ? answer : ownOf(fieldsOf(answer) ?? {}, "data");
  if (!Array.isArray(data)) return notList;
  if (data.length > entriesMax) return tooManyEntries;
  for (const [at, row] of data.entries()) {
    const fields = fieldsOf(row) ?? {};
    const entry = textOf(ownOf(fields, "model_name"));
    const place = entry === "" ? `#${at + 1}` : entry;
    const kind = ownOf(fields, "quota_type");
    if (kind !== byTokens && kind !== byCall) {
      refuse(to, place, "价格类型无法识别");
      continue;
    }
    const prices = pricesOfRatios({
      perCall: kind === byCall ? ownOf(fields, "model_price") : null,
      input: kind === byCall ? null : ownOf(fields, "model_ratio"),
      output: ownOf(fields, "completion_ratio"),
      cacheRead: ownOf(fields, "cache_ratio"),
      cacheWrite5m: ownOf(fields, "create_cache_ratio"),
      inputImage: ownOf(fields, "image_ratio"),
      inputAudio: ownOf(fields, "audio_ratio"),
      outputAudio: ownOf(fields, "audio_completion_ratio"),
    });
    if (prices.ok) gather(to, place, { entry, vendor: "", prices: prices.value });
    else refuse(to, place, prices.message);
  }
  return null;
};
