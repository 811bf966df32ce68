import { expect } from "bun:test";
import { charge, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { tokensMax } from "#canonical/usage.ts";
import { readUsage } from "#formats/openai-chat/upstream/read-usage.ts";
import { fuzz, mutate } from "./fuzz.ts";

const samples = [
  '{"prompt_tokens":12,"completion_tokens":30,"total_tokens":42}',
  '{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":60,"audio_tokens":10}}',
  '{"prompt_tokens":9,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":1}}',
  '{"prompt_tokens":1,"total_tokens":1}',
  '{"prompt_tokens":11,"completion_tokens":2,"total_tokens":40,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":3}',
  '{"prompt_tokens":null,"completion_tokens":"3","total_tokens":-1}',
];

const price = unitPrice(defaultPriceList, "gpt-4o", "default");

fuzz(
  "usage an upstream reports is counted in range and never below zero, or not believed",
  (random) => {
    let raw: unknown;
    try {
      raw = JSON.parse(mutate(random, samples));
    } catch {
      return;
    }
    const read = readUsage(raw);
    if (read.kind !== "ok") return;
    for (const count of Object.values(read.usage).map(Number)) {
      // The limit is twice the maximum, because a count may be a sum of two: thinking is added for
      // vendors that leave it out of their output count.
      expect(Number.isInteger(count) && count >= 0 && count <= 2 * tokensMax).toBe(true);
    }
    if (price === undefined) throw new Error("no price");
    const amount = charge(price, read.usage);
    expect(Number.isSafeInteger(amount) && amount >= 1).toBe(true);
  },
);
