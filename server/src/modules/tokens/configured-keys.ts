/** Users' API keys as a document of configuration names them: they are created, and then theirs. */

import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { gatherWrites } from "#db/store.ts";
import {
  type ConfiguredKeys,
  type PlannedCall,
  showSecret,
} from "#modules/configuration/configuration.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Options } from "#modules/options/options.ts";
import { defaultSettings } from "./setting-columns.ts";
import type { TokenStore } from "./tokens.store.ts";
import { bareKey, keyColumns, looksLikeKey, tokenKeyKind } from "./tokens.ts";

type KeyDeps = {
  readonly store: TokenStore;
  readonly secrets: Secrets;
  readonly money: Money;
  readonly readOption: Options["read"];
};

export function openConfiguredKeys({ store, secrets, money, readOption }: KeyDeps): ConfiguredKeys {
  const lookupOf = (key: string): string => secrets.lookup(tokenKeyKind, bareKey(key));
  return {
    show: (key) => showSecret(lookupOf(key)),

    /** Returns how the key of this name is shown; undefined: the user has none of this name. */
    async find(userId, name) {
      const lookup = await store.findLookup(userId, name);
      return lookup === undefined ? undefined : showSecret(lookup);
    },

    /** @throws Refusal `invalid-input` for a text that is no key, or that of another token. */
    async judge(key) {
      if (!looksLikeKey(bareKey(key))) {
        throw new Refusal("invalid-input", "密钥应为 sk- 和 48 个字母或数字", { field: "key" });
      }
      if (await store.isLookupTaken(lookupOf(key))) {
        throw new Refusal("invalid-input", "该密钥已被使用", { field: "key" });
      }
    },

    /** Makes the write that creates a key, as its user would. */
    async plan(userId, { name, key, quota }, { actor, nowMs }) {
      const calls: PlannedCall[] = [];
      const token = {
        ...defaultSettings,
        name,
        unlimited_quota: quota === null ? 1 : 0,
        user_id: userId,
        ...keyColumns(secrets, userId, bareKey(key)),
        granted: quota ?? 0,
        ownedMax: readOption("TokensPerUserMax"),
      };
      const gathering = gatherWrites("tokens", store, ["createToken"], calls);
      await gathering.createToken(token, { actor, owner: userId, nowMs });
      const done = (made: unknown): void => {
        const { id } = Object(made);
        money.openedToken(Number(id), quota ?? 0);
      };
      return calls.map((call): PlannedCall => ({ ...call, done }));
    },
  };
}
