/** Models: the names that clients use, and where they can be used. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText } from "@tollgate/contract/fields/fields.ts";

const names = z.array(z.string());

/** A model in the shape of OpenAI's model list; only `id` carries information. */
export const listedModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number().int(),
  /** Name of the provider. */
  owned_by: z.string(),
});

/**
 * Lists, for each channel type, the models its provider is known for; types without any are absent.
 */
export const listModelsByType = endpoint({
  method: "GET",
  path: "/api/models",
  access: "user",
  input: z.object({}),
  output: z.record(z.string(), names),
});

/**
 * Lists the models the caller can use in any of the caller's groups, or in the named group, sorted.
 */
export const listOwnModels = endpoint({
  method: "GET",
  path: "/api/user/models",
  access: "user",
  input: z.object({ group: queryText }),
  output: names,
});

/** Lists the models of all providers, as far as the gateway knows them by name. */
export const listKnownModels = endpoint({
  method: "GET",
  path: "/api/channel/models",
  access: "admin",
  input: z.object({}),
  output: z.array(listedModel),
});

/** Lists the models of all channels, whatever their status, sorted. */
export const listModelNames = endpoint({
  method: "GET",
  path: "/api/channel/modelNames",
  access: "admin",
  input: z.object({}),
  output: names,
});

/** Lists the models of enabled channels, sorted. */
export const listEnabledModels = endpoint({
  method: "GET",
  path: "/api/channel/models_enabled",
  access: "admin",
  input: z.object({}),
  output: names,
});

/**
 * Lists the models of enabled channels that have no price, sorted: their calls are refused. Which
 * channels offer them follows from the channels' own `models`.
 */
export const listUnpricedModels = endpoint({
  method: "GET",
  path: "/api/channel/models_unpriced",
  access: "admin",
  input: z.object({}),
  output: names,
});
