import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { charge as chargeOf, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { openDatabase } from "#db/connection.ts";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { applyAs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { markEarlier } from "#modules/ledger/mend/testing/earlier-logs.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  rootUser,
  runCommand,
  startGateway,
} from "#test/gateway.ts";

const command = ["mend-charges", "--since", "2025-11-01"];

/** A call that has written to the provider's cache, and one that its client left a minute later. */
const logs = [
  chargedLog({
    requestId: "first",
    usage: { ...noUsage, input: 100, cacheWrite5m: 80_000, output: 10 },
  }),
  chargedLog({
    requestId: "left",
    createdAt: chargedLog().createdAt + 60,
    usage: { ...noUsage, input: 80_000, output: 10 },
    usageSource: "local",
    interrupted: "客户端断开",
  }),
];

for (const dialect of testDialects) {
  describe(`tollgate mend-charges on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway | undefined;
    beforeEach(async () => {
      home = await makeStartedHome(dialect);
      const url = home.env["DATABASE_URL"] ?? "";
      const file = join(home.dataDir, "tollgate.db");
      const { db, close } = openDatabase(
        dialect === "sqlite" ? { dialect, file } : { dialect, url },
        "writer",
      );
      const version = await db
        .selectFrom("price_versions")
        .selectAll()
        .orderBy("id", "desc")
        .executeTakeFirstOrThrow();
      const list = parsePrices(version)?.list;
      const price = list === undefined ? undefined : unitPrice(list, "gpt-4o", "default");
      if (price === undefined) throw new Error("gpt-4o has no price");
      const gift = { kind: "admin_adjust", userId: 1, amount: 1_000_000, detail: "" } as const;
      await db.transaction().execute(async (tx) => {
        await postEntry(tx, { ...gift, cause: "adjust:test", nowMs: 1_763_600_000_000 });
      });
      for (const log of logs) {
        const own = { ...log, userId: 1, tokenId: 0, priceVersion: version.id };
        const charge = chargeOf(price, log.usage);
        const settle = { type: "settle", id: log.requestId, tokenLimited: false } as const;
        await applyAs(db, "test", [{ ...settle, charge, charged: null, log: own }]);
      }
      await markEarlier(db);
      await close();
    });
    afterEach(async () => {
      await gateway?.kill();
      gateway = undefined;
      await home.remove();
    });

    const mend = async (line: string) =>
      await runCommand(home, [...command, "--call", "left", "--refund"], {}, line);

    test("gives back once what was too much, by root's password, and the audit is right", async () => {
      const listed = await runCommand(home, command);
      expect([listed.code, listed.output]).toEqual([
        0,
        expect.stringMatching(
          /left user=1 .*too much by \d+ at most: .*that call first left there/,
        ),
      ]);
      expect((await mend("wrong password")).code).toBe(1);
      const first = await mend(rootUser.password);
      expect([first.code, first.output]).toEqual([
        0,
        expect.stringContaining("quota units of 1 calls were given back."),
      ]);
      expect((await mend(rootUser.password)).output).toContain(" of 0 calls were given back.");
      const audit = await runCommand(home, ["audit"]);
      expect([audit.code, audit.output]).toEqual([0, expect.stringContaining("audit: ok")]);
    });

    test("beside a running gateway only where the database has the balances", async () => {
      gateway = await startGateway(home);
      expect((await runCommand(home, command)).code).toBe(0);
      const { code, output } = await mend(rootUser.password);
      if (dialect === "postgres") expect([code, output]).toEqual([0, expect.any(String)]);
      else expect([code, output]).toEqual([1, expect.stringContaining("Stop it")]);
    });
  });
}
