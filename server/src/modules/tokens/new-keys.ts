/** Plans a new token: checks what was asked, and makes its key. */

import type { createToken } from "@tollgate/contract/endpoints/tokens.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Options } from "#modules/options/options.ts";
import { defaultSettings, storedSettings } from "./setting-columns.ts";
import type { TokenStore } from "./tokens.store.ts";
import { keyColumns, type PlanKey } from "./tokens.ts";

export type TokenInput = z.output<(typeof createToken)["input"]>;

type GroupRule = {
  /** Whether `group` exists and a user of group `ownGroup` may use it. */
  readonly isUsableGroup: (ownGroup: string, group: string) => boolean;
};

type NewKeyDeps = GroupRule & {
  readonly store: Pick<TokenStore, "readOwnerGroup">;
  readonly secrets: Secrets;
  readonly readOption: Options["read"];
  /** Returns a new key: 48 letters and digits, 285 random bits. */
  readonly newKey: () => string;
};

export function openNewKeys(deps: NewKeyDeps): PlanKey {
  return async (input, userId) => {
    if (!input.name) throw new Refusal("invalid-input", "令牌名称不能为空", { field: "name" });
    const group = input.group ?? "";
    refuseUnusable(deps, await deps.store.readOwnerGroup(userId), group);
    const key = deps.newKey();
    const token = {
      ...defaultSettings,
      ...storedSettings(input),
      group,
      user_id: userId,
      ...keyColumns(deps.secrets, userId, key),
      granted: input.remain_quota ?? 0,
      ownedMax: deps.readOption("TokensPerUserMax"),
    };
    return { key, token };
  };
}

export function refuseUnusable(
  { isUsableGroup }: GroupRule,
  ownGroup: string,
  group: string,
): void {
  if (group === "" || isUsableGroup(ownGroup, group)) return;
  throw new Refusal("invalid-input", `分组不存在或无权使用：${group}`, { field: "group" });
}
