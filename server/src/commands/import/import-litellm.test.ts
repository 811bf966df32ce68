/** Accounts, keys, budgets and models of LiteLLM move in. */

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashText } from "#base/secrets.ts";
import { testDialects } from "#db/testing/database.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { hashedKeyKind } from "#modules/tokens/tokens.ts";
import { fillLitellm, litellmKey, makeLitellmSource } from "./testing/litellm.ts";
import { findUser, openTarget, secrets, stateOf, sumOf } from "./testing/target.ts";

const users = 5;
const dollar = 500_000;

for (const dialect of testDialects) {
  test(`LiteLLM moves in: who pays there pays here, to the unit, and each key has its limits: ${dialect}`, async () => {
    const source = await makeLitellmSource();
    const target = await openTarget(dialect);
    const { db } = target;
    try {
      fillLitellm(source, users);
      await source.settle();
      const words = [source.address, "--json", "--unlimited", "20"];
      expect(await target.run(...words, "--dry-run")).toBe(0);
      const planned = target.report();
      expect(await target.run(...words)).toBe(0);
      const done = target.report();
      expect(done.rows).toEqual(planned.rows);
      expect(done.sums).toEqual(planned.sums);

      // Budgets less what was spent, in units: users 1, 3, 4 and 5, one without a budget, the team,
      // the organisation, and whoever has no account there.
      const spent = 150_000;
      const left = 13 * dollar - 4 * spent + 20 * dollar + 39.9 * dollar + 74.5 * dollar;
      expect(await sumOf(db, "balance")).toBe(left + 5 * dollar + 20 * dollar);
      expect(await findUser(db, "Research")).toMatchObject({ balance: 19_950_000, status: 1 });
      expect(await findUser(db, "Closed")).toMatchObject({ status: 2 });
      expect(await findUser(db, "Acme")).toMatchObject({ balance: 37_250_000 });
      expect(await findUser(db, "User2@example.com")).toMatchObject({ balance: 20 * dollar });

      const found = async (id: number) =>
        await db
          .selectFrom("tokens")
          .innerJoin("users", "users.id", "tokens.user_id")
          .innerJoin("token_balances", "token_balances.token_id", "tokens.id")
          .select(["username", "hint", "sealed", "model_limits", "unlimited_quota", "remain"])
          .select(["budget_month", "rate_limit_count", "tokens.status", "expired_time"])
          .where("lookup", "=", secrets.lookup(hashedKeyKind, hashText(litellmKey(id))))
          .executeTakeFirst();
      const usual = { hint: "", sealed: "", unlimited_quota: 1, status: 1, expired_time: -1 };
      expect(await found(1)).toMatchObject({ ...usual, username: "User1@example.com" });
      expect(await found(users + 1)).toMatchObject({
        username: "Research",
        model_limits: "gpt-4o",
      });
      const ofOrganization = { username: "Acme", unlimited_quota: 0, remain: 750_000 };
      expect(await found(users + 2)).toMatchObject(ofOrganization);
      const limits = { budget_month: 3_750_000, rate_limit_count: 30 };
      expect(await found(users + 3)).toMatchObject({ ...usual, ...limits, username: "litellm" });
      const blocked = { status: 2, expired_time: Date.UTC(2031, 1, 3, 4, 5, 6) / 1_000 };
      expect(await found(users + 4)).toMatchObject(blocked);
      expect(await found(users + 5)).toMatchObject({ unlimited_quota: 0, remain: 1_000_000 });

      const channels = await db
        .selectFrom("channels")
        .select(["name", "type", "status"])
        .where("model_mapping", "not like", "%AAAA%")
        .execute();
      expect(channels.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
        { name: "claude", type: 14, status: 2 },
        { name: "gpt-4o", type: 1, status: 1 },
        { name: "hidden", type: 8, status: 2 },
        { name: "odd", type: 8, status: 2 },
      ]);
      const row = await findPrices(db);
      const list = row && parsePrices(row)?.list;
      expect(list?.ModelRatio["gpt-4o"]).toBe("1.25");
      expect(list?.CompletionRatio["gpt-4o"]).toBe("4");
      expect(done.faults.map(({ what }) => what)).toEqual([
        "token is no SHA-256 of a key",
        "model_name is no name of one model",
      ]);
      expect(done.unplaced.map(({ table }) => table)).toContain("LiteLLM_SpendLogs");
      expect(done.changes.map(({ what }) => what)).toContain(
        "gets what is left of its budget, which is not renewed each 12h",
      );

      const before = await stateOf(db);
      expect(await target.run(...words)).toBe(0);
      expect(await stateOf(db)).toBe(before);
      expect(await target.audit()).toStartWith("audit: ok");
      expect(await target.run(source.address, "--undo")).toBe(0);
      expect(await sumOf(db, "balance")).toBe(0);
      expect(await target.audit()).toStartWith("audit: ok");
    } finally {
      await source.remove();
      await target.close();
    }
  });
}

const config = `model_list:
  - model_name: fast
    litellm_params: { model: azure/mine, api_base: "https://x.example.com/", api_key: os.environ/UPSTREAM_KEY, api_version: "2024-10-21" }
    model_info: { input_cost_per_token: 0.000001 }
  - model_name: fast
    litellm_params: { model: gpt-4o-mini, api_key: sk-two }
general_settings:
  master_key: sk-master
`;

test("models of a config.yaml become channels, with keys of the environment, and a second run adds none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-config-"));
  const file = join(folder, "config.yaml");
  const target = await openTarget("sqlite");
  const { db } = target;
  try {
    writeFileSync(file, config);
    for (const created of [2, 0]) {
      expect(await target.run(file, "--json")).toBe(0);
      expect(target.report().rows["channel"]).toMatchObject({ created });
    }
    const channels = await db
      .selectFrom("channels")
      .select(["type", "base_url", "other", "model_mapping", "models", "status"])
      .orderBy("id")
      .execute();
    const azure = { type: 3, base_url: "https://x.example.com", other: "2024-10-21" };
    expect(channels).toMatchObject([
      { ...azure, models: "fast", model_mapping: '{"fast":"mine"}', status: 1 },
      { type: 1, models: "fast", model_mapping: '{"fast":"gpt-4o-mini"}', status: 1 },
    ]);
    expect(target.report().unplaced.map(({ table }) => table)).toEqual(["general_settings"]);

    writeFileSync(file, "model_list: [");
    expect(await target.run(file)).toBe(1);
    expect(target.told()).toContain(`${file} cannot be read`);
    writeFileSync(file, "a: 1");
    expect(await target.run(file)).toBe(1);
    expect(target.told()).toBe(`${file} has no model_list.`);
  } finally {
    rmSync(folder, { recursive: true });
    await target.close();
  }
});
