/**
 * new-api, in its schemas of 2025 and 2026. Its channel types have the same numbers here. Columns
 * that came later, such as those of several keys, change nothing of the earlier ones.
 */

import type { Reader } from "#modules/import/import.ts";
import { findProvider } from "#providers/registry.ts";
import {
  derivedTables,
  familyChannels,
  familyCodes,
  familyTokens,
  familyUsers,
  readFamilyOptions,
} from "./family.ts";

export const newApi: Reader = {
  kind: "new-api",
  recognizes: (tables) => tables.get("tokens")?.includes("model_limits") === true,
  users: familyUsers,
  tokens: familyTokens({
    models: "model_limits",
    limited: "model_limits_enabled",
    addresses: "allow_ips",
  }),
  channels: familyChannels((type) => (findProvider(type) === undefined ? null : type)),
  codes: familyCodes,
  readSettings: readFamilyOptions,
  derived: derivedTables,
};
