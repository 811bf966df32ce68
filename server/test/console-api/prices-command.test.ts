import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as contract from "@tollgate/contract/endpoints/price-catalogue.ts";
import type { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { openPages, type Page } from "./one-api-console.ts";

type Book = z.infer<typeof contract.readPriceBook.output>;
type Catalogue = z.infer<typeof contract.readCatalogue.output>;

for (const dialect of testDialects) {
  describe(`tollgate prices on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway;
    let root: Page;
    beforeAll(async () => {
      home = await makeStartedHome(dialect);
      gateway = await startGateway(home);
      root = (await openPages(gateway.origin)).root;
    });
    afterAll(async () => {
      await gateway.kill();
      await home.remove();
    });

    const run = async (...args: string[]) => await runCommand(home, ["prices", ...args]);
    const file = (name: string): string => join(home.dataDir, name);
    const priceOf = async (model: string) => {
      const rows = await root.data<Book>("GET", "/api/prices/book");
      return rows.find((row) => row.model === model);
    };

    test("what is exported is applied without a change, as JSON and as CSV", async () => {
      for (const [form, name] of [
        ["--json", "prices.json"],
        ["--csv", "prices.csv"],
      ] as const) {
        const { code, output } = await run("export", form);
        expect(code).toBe(0);
        writeFileSync(file(name), output);
        expect((await run("diff", file(name))).output).toMatch(
          /^0 of \d{3} prices would change\.$/m,
        );
      }
    });

    test("a file's prices are shown and saved as one version that a running gateway uses", async () => {
      const prices = { m: { tokens: { input: "0.3", output: "2.5" } }, c: { perCall: "0.04" } };
      writeFileSync(file("new.json"), JSON.stringify({ prices }));

      const { output } = await run("diff", file("new.json"));
      expect(output).toContain("m: no price → input 0.3, output 2.5");
      expect(await priceOf("m")).toBeUndefined();
      expect(await run("apply", file("new.json"))).toMatchObject({ code: 0 });

      for (let look = 0; look < 200 && (await priceOf("m")) === undefined; look += 1) {
        await Bun.sleep(50);
      }
      expect(await priceOf("m")).toMatchObject({
        prices: { tokens: { input: "0.3", output: "2.5" } },
        source: { from: "file" },
      });
      expect((await run("list")).output).toMatch(/^c {2}0\.04 a call {2}file \d{4}-\d\d-\d\d$/m);
    });

    test("a file's prices are tried on past calls, and nothing is saved", async () => {
      const prices = { tried: { tokens: { input: "0.3", output: "2.5" } } };
      writeFileSync(file("try.json"), JSON.stringify({ prices }));
      const { code, output } = await run("diff", file("try.json"), "--preview", "30");
      expect([code, output]).toEqual([
        0,
        expect.stringContaining("last 30 days: 0 calls, 0 → 0 (0)"),
      ]);
      expect(await priceOf("tried")).toBeUndefined();
      expect((await run("diff", file("try.json"), "--preview", "2")).code).toBe(2);
    });

    test("a wrong file changes nothing, and its faults are named", async () => {
      writeFileSync(file("wrong.csv"), "model,input\nm,much\n");
      const { code, output } = await run("apply", file("wrong.csv"));
      expect([code, output]).toEqual([1, expect.stringContaining("line 2")]);
      expect((await run("diff", file("none.csv"))).output).toContain("There is no file");
      expect((await run("remove")).code).toBe(2);
    });

    test("a file in the data folder replaces the catalogue without a release, and says its day", async () => {
      const entry = { provider: "anthropic", entry: "claude-opus-5-5" };
      await root.data("POST", "/api/prices/apply", {
        entries: [{ model: "claude-opus-5-5", ...entry }],
      });
      const before = await root.data<Catalogue>("GET", "/api/prices/catalogue");
      const replacing = {
        date: "2026-11-20",
        source: "the price desk",
        providers: [{ id: "anthropic", name: "Anthropic" }],
        entries: [
          {
            ...entry,
            names: ["claude-opus-5-5"],
            prices: [{ tokens: { input: "3", output: "15" } }],
          },
        ],
      };
      const place = file("price-catalogue.json");
      writeFileSync(place, JSON.stringify(replacing));

      expect(await root.data<Catalogue>("GET", "/api/prices/catalogue")).toMatchObject({
        date: "2026-11-20",
        source: "the price desk",
        entries: 1,
      });
      const { output } = await run("diff", "--catalogue");
      expect(output).toContain("claude-opus-5-5: input 4");
      expect(output).toContain("1 of 1 prices would change.");

      // A file that cannot be read is ignored, and what was read before it stays.
      writeFileSync(place, `${readFileSync(place, "utf8")}}`);
      expect(await root.data<Catalogue>("GET", "/api/prices/catalogue")).toMatchObject({
        date: "2026-11-20",
      });
      expect(before.date).toBe("2026-09-23");
    });
  });
}
