/**
 * Reads what a gateway of the family answers at `/api/ratio_config`: a map of models for each kind of
 * ratio, and one of prices per call; read on 2026-11-30.
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
  tooManyEntries,
} from "./source-entries.ts";

const maps = [
  "model_ratio",
  "model_price",
  "completion_ratio",
  "cache_ratio",
  "create_cache_ratio",
  "image_ratio",
  "audio_ratio",
  "audio_completion_ratio",
] as const;

/** Reads the whole answer. A price per call counts before ratios, as it does there. */
export const readGatewayRatios: SourceReader = (text, to) => {
  const data = fieldsOf(ownOf(fieldsOf(readJson(text)) ?? {}, "data"));
  if (data === undefined) return notList;
  const found = Object.fromEntries(maps.map((name) => [name, fieldsOf(ownOf(data, name)) ?? {}]));
  const of = (name: (typeof maps)[number], model: string) => ownOf(found[name] ?? {}, model);
  const models = new Set([
    ...Object.keys(found["model_ratio"] ?? {}),
    ...Object.keys(found["model_price"] ?? {}),
  ]);
  if (models.size === 0) return notList;
  if (models.size > entriesMax) return tooManyEntries;
  for (const entry of models) {
    const prices = pricesOfRatios({
      perCall: of("model_price", entry),
      input: of("model_ratio", entry),
      output: of("completion_ratio", entry),
      cacheRead: of("cache_ratio", entry),
      cacheWrite5m: of("create_cache_ratio", entry),
      inputImage: of("image_ratio", entry),
      inputAudio: of("audio_ratio", entry),
      outputAudio: of("audio_completion_ratio", entry),
    });
    if (prices.ok) gather(to, entry, { entry, vendor: "", prices: prices.value });
    else refuse(to, entry, prices.message);
  }
  return null;
};
