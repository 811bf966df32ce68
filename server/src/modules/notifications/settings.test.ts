import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { openAddressPolicy } from "#base/address-policy.ts";
import { Refusal } from "#base/refusal.ts";
import { openSecrets } from "#base/secrets.ts";
import { openDatabase } from "#db/connection.ts";
import { migrations } from "#db/migrations/index.ts";
import { createTestDatabase, testDialects } from "#db/testing/database.ts";
import { changeSettings, openSettings, readWay, sealSettings } from "./settings.ts";

const secrets = openSecrets(randomBytes(32).toString("hex"));
const policy = openAddressPolicy({ privateRanges: [], loopback: false });
const migration = "20261122-2245-notice-settings";

test("settings are sealed as a whole, for their user only", () => {
  const settings = { webhook: { url: "https://hooks.example.com/a", secret: "s3cret" } };
  const sealed = sealSettings(secrets, 7, settings);
  expect(sealed).not.toMatch(/hooks|s3cret|webhook/);
  expect(openSettings(secrets, 7, sealed)).toEqual(settings);
  expect(openSettings(secrets, 8, sealed)).toEqual({});
  expect(openSettings(secrets, 7, "")).toEqual({});
});

describe("A-037: a save", () => {
  const dingtalk = { dingtalk: { key: "d" } };
  const change = (before: object, chosen: "dingtalk" | "email" | "wecom", sent: object) =>
    changeSettings(before, { chosen, sent: { ...sent } }, policy);

  test("keeps a secret that is not typed again, whichever way is chosen", () => {
    const before = { ...dingtalk, webhook: { url: "https://a.example/x", secret: "s" } };
    expect(change(before, "email", {})).toEqual({ ...dingtalk, webhook: { secret: "s" } });
    expect(change(before, "email", { webhook_secret: "t" })).toMatchObject({
      webhook: { secret: "t" },
    });
  });

  test("is not refused for what is wrong in a field of a way that was not chosen", () => {
    const before = { webhook: { url: "https://a.example/x" } };
    for (const webhook_url of ["http://127.0.0.1/hook", "not an address"]) {
      expect(change(before, "email", { webhook_url })).toEqual(before);
      expect(change({}, "email", { webhook_url })).toEqual({});
      const save = () => changeSettings({}, { chosen: "webhook", sent: { webhook_url } }, policy);
      expect(save).toThrow(Refusal);
    }
  });

  test("gives a key that robots share to the chosen robot only", () => {
    expect(change(dingtalk, "wecom", { robot_key: "w" })).toEqual({ wecom: { key: "w" } });
    expect(change(dingtalk, "email", { robot_key: "w" })).toEqual(dingtalk);
    expect(() => change(dingtalk, "wecom", {})).toThrow(Refusal);
  });
});

test("nothing is sent while a needed field is missing or invalid", () => {
  expect(readWay({}, "bark")).toMatchObject({ ok: false, missing: "bark_url" });
  expect(readWay({ dingtalk: { key: "a&b" } }, "dingtalk")).toMatchObject({ ok: false });
  expect(readWay({}, "email")).toEqual({ ok: true, values: { address: "" } });
});

for (const dialect of testDialects) {
  test(`settings saved in the former columns are moved and still work, on ${dialect}`, async () => {
    const { address, remove } = await createTestDatabase(dialect);
    const { db, close } = openDatabase(address, "writer", 60_000);
    // Migrations name the tables of their time, so they cannot use the types of the present tables.
    const plain = db as unknown as Kysely<unknown>;
    const names = Object.keys(migrations);
    for (const name of names.slice(0, names.indexOf(migration))) {
      await migrations[name]?.(plain, dialect);
    }
    const old = {
      signed: secrets.seal("notification_settings|webhook_secret|7", "s3cret"),
      robot: secrets.seal("notification_settings|robot_key|wecom|7", "a1-B2"),
      stolen: secrets.seal("notification_settings|robot_key|wecom|7", "a1-B2"),
    };
    const insert = async (id: number, texts: readonly string[]) =>
      await sql`
        insert into notification_settings (user_id, quota_warning_threshold, notify_type,
          notification_email, webhook_url, webhook_secret, bark_url, robot_type, robot_key,
          quota_low, price_change, announcement)
        values (${id}, 1000, ${sql.join(texts)}, 1, 0, 1)
      `.execute(db);
    const quoted = "https://hooks.example.com/a?b=\"c\"&d='e'\\";
    await insert(7, ["wecom", "n@example.com", quoted, old.signed, "", "wecom", old.robot]);
    await insert(8, ["email", "", "", "", "", "", ""]);
    await insert(9, ["wecom", "", "", "", "", "wecom", old.stolen]);
    for (const name of names.slice(names.indexOf(migration))) {
      await migrations[name]?.(plain, dialect);
    }

    const rows = await db.selectFrom("notification_settings").selectAll().execute();
    const [seven, eight, nine] = rows.toSorted((a, b) => a.user_id - b.user_id);
    expect(seven).toMatchObject({ notify_type: "wecom", quota_low: 1, announcement: 1 });
    expect(openSettings(secrets, 7, seven?.settings ?? "")).toEqual({
      email: { address: "n@example.com" },
      webhook: { url: quoted, secret: "s3cret" },
      wecom: { key: "a1-B2" },
    });
    expect(openSettings(secrets, 8, eight?.settings ?? "")).toEqual({});
    // Settings that were sealed for one user cannot be opened for another, so they count as empty.
    expect(openSettings(secrets, 9, nine?.settings ?? "")).toEqual({});
    expect(JSON.stringify(rows)).not.toMatch(/s3cret|a1-B2/);
    await close();
    await remove();
  });
}
