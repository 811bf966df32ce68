/**
 * LiteLLM, from its PostgreSQL database, its `config.yaml`, or both. A key belongs here to the
 * account whose budget its calls are charged to there.
 */

import type { OpenReader, Reader } from "#modules/import/import.ts";
import {
  accountTables as tables,
  hasOwnerless,
  nobodyOf,
  organizationsReader,
  readKnown,
  teamsReader,
  usersReader,
} from "./litellm-accounts.ts";
import { litellmChannels, modelTables, readModelPrices } from "./litellm-models.ts";
import { litellmTokens, tokenTable } from "./litellm-tokens.ts";

export const litellm: Reader = {
  kind: "litellm",
  recognizes: (found) => found.has(tokenTable) || modelTables.some((table) => found.has(table)),
  needs: (found) =>
    found.has(tokenTable) || !found.has("model_list")
      ? [
          { table: tables.users, needs: ["user_id", "spend", "max_budget"] },
          { table: tables.teams, needs: ["team_id", "spend", "max_budget"] },
          { table: tokenTable, needs: ["token", "spend", "user_id", "team_id"] },
        ]
      : [],
  async open(source, asked) {
    const known = await readKnown(source, asked);
    return {
      kind: "litellm",
      users: [usersReader(known), teamsReader(known), organizationsReader(known)],
      madeUsers: (await hasOwnerless(source, tokenTable, known)) ? [nobodyOf(known)] : [],
      tokens: [litellmTokens(known)],
      channels: modelTables.map((table) => litellmChannels(table, asked.readSecret)),
      codes: [],
      orders: [],
      logs: [],
      settings: {
        quotaPerUnit: asked.dollar,
        prices: await readModelPrices(source, asked.dollar),
        oidcIssuer: "",
      },
      derived: [tables.budgets, "_prisma_migrations"],
    } satisfies OpenReader;
  },
};
