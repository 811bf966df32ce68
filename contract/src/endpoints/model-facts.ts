/**
 * What the price list for users says of models beside their prices: what they are, as far as the
 * catalogue knows, and how they did here of late.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { modelFacts } from "./price-catalogue.ts";

/** The days that the statistics are of, and the fewest calls that say anything. */
export const statisticsDays = 7;
export const statisticsCallsMin = 100;

const modelStatistics = z.object({
  /** How many of the calls were answered to the end, from 0 to 1. */
  answered: z.number().min(0).max(1),
  /** Milliseconds to the first byte, the median, estimated from buckets. */
  first_byte_ms: z.number().int().nullable(),
});
export type ModelStatistics = z.infer<typeof modelStatistics>;

const modelRow = z.object({
  model_name: z.string(),
  /** Null: the catalogue does not know the model. */
  facts: modelFacts.nullable(),
  /** Null: there were fewer than `statisticsCallsMin` calls in the last `statisticsDays` days. */
  statistics: modelStatistics.nullable(),
});
export type ModelFactsRow = z.infer<typeof modelRow>;

/** Lists what is known of the models that the price list shows; those of which nothing is, not. */
export const listModelFacts = endpoint({
  method: "GET",
  path: "/api/pricing/models",
  access: "public",
  input: z.object({}),
  output: z.array(modelRow),
});
