import { describe, expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import * as contract from "@tollgate/contract/options/options.ts";
import { testDialects } from "#db/testing/database.ts";
import { isReplyValue } from "#http/handler.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { priceVersionHash } from "#modules/pricing/pricing.ts";
import { auditText, plainText, relayOptions, storedText } from "./options.ts";
import { openGateway, testSecrets as secrets } from "./testing/options.ts";

const secretKeys = Object.entries<Field>(contract.options)
  .filter(([, { secret }]) => secret)
  .map(([key]) => key);

for (const dialect of testDialects) {
  describe(`options on ${dialect}`, () => {
    test("A-418 A-419: a saved option is in effect before the answer, and is listed", async () => {
      const { save, listed, options, close } = await openGateway(dialect);

      await save("RetryTimes", 5);
      await save("AutomaticDisableChannelEnabled", "true");
      await save("UserUsableGroups", '{"default":"普通"}');

      expect(relayOptions(options)).toMatchObject({
        retryTimes: 5,
        automaticDisable: true,
        usableGroups: { default: "普通" },
      });
      const values = await listed();
      expect(values.get("RetryTimes")).toBe("5");
      expect(values.get("AutomaticDisableChannelEnabled")).toBe("true");
      expect(JSON.parse(values.get("UserUsableGroups") ?? "")).toEqual({ default: "普通" });
      expect([...values.keys()]).toEqual(
        Object.keys(contract.options).filter((key) => !secretKeys.includes(key)),
      );
      await close();
    });

    test("P-O6 A-209: an unknown key or a value out of range changes nothing", async () => {
      const { save, db, listed, close } = await openGateway(dialect);
      const before = await listed();

      for (const [key, value] of [
        ["NoSuchOption", "1"],
        ["constructor", "1"],
        ["RetryTimes", "11"],
        ["GroupRatio", "{"],
        ["GroupRatio", '{"vip":-1}'],
        ["ModelRatio", '{"gpt-4o":"much"}'],
      ] as const) {
        await expect(save(key, value)).rejects.toMatchObject({ code: "invalid-input" });
      }
      expect(await listed()).toEqual(before);
      expect(await db.selectFrom("options").selectAll().execute()).toEqual([]);
      expect(await db.selectFrom("price_versions").select("id").execute()).toHaveLength(1);
      await close();
    });

    test("P-O6: an invalid value in the table leaves the last valid one in effect and is reported", async () => {
      const { save, db, options, reload, reports, close } = await openGateway(dialect);
      await save("RetryTimes", 3);
      await db.updateTable("options").set({ value: "-7" }).execute();
      await db
        .insertInto("options")
        .values([
          { key: "DisplayInCurrencyEnabled", value: "perhaps" },
          { key: "Leftover", value: "1" },
        ])
        .execute();
      await reload();

      expect(options.read("RetryTimes")).toBe(3);
      expect(options.read("DisplayInCurrencyEnabled")).toBe(true);
      expect(reports.toSorted()).toEqual(["DisplayInCurrencyEnabled", "Leftover", "RetryTimes"]);
      await close();
    });

    // Consoles save a page of prices with one request per field, all at the same time.
    test("prices saved at the same time all take effect", async () => {
      const { save, prices, db, close } = await openGateway(dialect);

      await Promise.all([
        save("ModelRatio", '{"gpt-4o": 0.123456789012e1, "m": 2}'),
        save("CompletionRatio", '{"m": 4}'),
        save("ModelPrice", '{"dall-e-3": "0.04"}'),
        save("GroupRatio", '{"default":1,"vip":0.8}'),
        save("CacheRatio", "{}"),
        save("QuotaPerUnit", 1000),
      ]);

      expect(prices()).toEqual({
        ...defaultPriceList,
        ModelRatio: { "gpt-4o": "1.23456789012", m: "2" },
        CompletionRatio: { m: "4" },
        ModelPrice: { "dall-e-3": "0.04" },
        GroupRatio: { default: "1", vip: "0.8" },
        CacheRatio: {},
        QuotaPerUnit: "1000",
        // What the family's console saves is set by hand, and what it removes has no price.
        Sources: {
          "gpt-4o": { from: "option", date: "1970-01-01", by: 1 },
          m: { from: "option", date: "1970-01-01", by: 1 },
          "dall-e-3": { from: "default", date: "2026-02-28" },
        },
      });
      const versions = await db.selectFrom("price_versions").selectAll().orderBy("id").execute();
      expect(versions).toHaveLength(7);
      let previous = "";
      for (const version of versions) {
        expect(version.hash).toBe(priceVersionHash(previous, version));
        previous = version.hash;
      }
      await close();
    });

    test("saving an unchanged price creates no version", async () => {
      const { save, db, close } = await openGateway(dialect);
      await save("QuotaPerUnit", "500000.0");

      expect(await db.selectFrom("price_versions").select("id").execute()).toHaveLength(1);
      await close();
    });

    test("A-420: resetting the model ratios leaves all other prices unchanged", async () => {
      const { call, save, prices, close } = await openGateway(dialect);
      await save("ModelRatio", '{"m": 2}');
      await save("CompletionRatio", '{"m": 4}');

      const answer = await call(contract.resetModelRatio, {});

      expect(isReplyValue(answer) && answer.message).toBe("重置模型倍率成功");
      expect(prices().ModelRatio).toEqual(defaultPriceList.ModelRatio);
      expect(prices().CompletionRatio).toEqual({ m: "4" });
      await close();
    });

    test("P-S8: the audit log records what each save changed", async () => {
      const { save, db, close } = await openGateway(dialect);
      await save("RetryTimes", 5);
      await save("RetryTimes", 6);
      await save("ModelPrice", '{"mj_imagine": 0.2}');

      const rows = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
      expect(rows).toMatchObject([
        { actor_name: "root", target: "option:RetryTimes", detail: '{"before":null,"after":"5"}' },
        { action: "option.update", detail: '{"before":"5","after":"6"}' },
        { action: "price.update", target: "option:ModelPrice" },
      ]);
      expect(JSON.parse(rows[2]?.detail ?? "")).toMatchObject({
        "ModelPrice.mj_imagine": ["0.1", "0.2"],
        "ModelPrice.dall-e-3": ["0.04", null],
      });
      expect(await verifyAudit(db)).toEqual({ ok: true, count: 3 });
      await close();
    });
  });
}

test("A-184: a secret is stored sealed under its key, and the audit log gets only its fingerprint", () => {
  const secret = { secret: true };
  const stored = storedText(secret, "SomeToken", "hunter22", secrets);

  expect(stored).not.toContain("hunter22");
  expect(plainText(secret, "SomeToken", stored, secrets)).toBe("hunter22");
  expect(plainText(secret, "OtherToken", stored, secrets)).toBeUndefined();
  expect(auditText(secret, stored)).toMatch(/^[0-9a-f]{16}$/);
  expect(auditText(secret, storedText(secret, "SomeToken", "hunter22", secrets))).toBe(
    auditText(secret, stored),
  );
});
