import type { PriceList } from "@tollgate/contract/money/charge.ts";

/** A price list in which an input token costs 2 quota units and an output token 8. */
export const testPrices: PriceList = {
  QuotaPerUnit: "500000",
  GroupRatio: { default: "1", vip: "0.5" },
  ModelRatio: {
    "demo-chat": "2",
    "demo-fast": "2",
    m: "2",
    other: "2",
    unmapped: "2",
    "a/b": "2",
    "tts-1": "2",
    "aura-2-thalia-en": "2",
    eleven_flash_v2_5: "2",
    long: "2",
    tiered: "2",
  },
  CompletionRatio: { "demo-fast": "4", long: "4", m: "4", other: "4", tiered: "4" },
  ModelPrice: { fixed: "0.01" },
  CacheRatio: { long: "0.5", m: "0.5", tiered: "0.5" },
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  LongContextPrices: { long: { above: 1_000, ratio: "2", completion: "1.5" } },
  ServiceTierPrices: {
    tiered: {
      priority: { ratio: "2", cache: "3", completion: "1.5" },
      flex: { ratio: "0.5", cache: "0.5", completion: "0.25" },
      fast: { ratio: "6", cache: "6", completion: "6" },
    },
  },
};
