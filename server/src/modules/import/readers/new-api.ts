/**
 * new-api, in its schemas of 2025 and 2026. Its channel types have the same numbers here. Columns
 * that came later, such as those of several keys, change nothing of the earlier ones. Veloera, which
 * came from it in early 2025, has the same tables and more columns.
 */

import { findProvider } from "#providers/registry.ts";
import { familyChannels, familyReader, familyTokens } from "./family.ts";

const tokens = familyTokens({
  models: "model_limits",
  limited: "model_limits_enabled",
  addresses: "allow_ips",
});
const channels = familyChannels((type) => (findProvider(type) === undefined ? null : type));

export const newApi = familyReader({
  kind: "new-api",
  recognizes: (tables) => tables.get("tokens")?.includes("model_limits") === true,
  tokens,
  channels,
});

export const veloera = familyReader({
  kind: "veloera",
  // It has the tables of new-api; what it has besides tells them apart.
  recognizes: (tables) =>
    newApi.recognizes(tables) && tables.get("users")?.includes("last_check_in_time") === true,
  tokens,
  channels,
});
