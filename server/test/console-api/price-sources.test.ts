import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BillResult } from "@tollgate/contract/endpoints/bills.ts";
import type { PriceDraft, PriceSourceRow } from "@tollgate/contract/endpoints/price-sources.ts";
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

for (const dialect of testDialects) {
  describe(`price sources and bills on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway;
    let root: Page;
    /** What the list's server answers. */
    let list = "";
    const lists = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(list) });
    beforeAll(async () => {
      home = await makeStartedHome(dialect);
      gateway = await startGateway(home);
      root = (await openPages(gateway.origin)).root;
    });
    afterAll(async () => {
      await lists.stop(true);
      await gateway.kill();
      await home.remove();
    });

    const priceOf = async (model: string) => {
      const rows = await root.data<Book>("GET", "/api/prices/book");
      return rows.find((row) => row.model === model)?.prices.tokens;
    };
    const write = (input: number) => {
      list = JSON.stringify({
        openai: { models: { "gpt-4o": { id: "gpt-4o", cost: { input, output: 10 } } } },
      });
    };
    const addSource = async (name: string, rules: object = {}) => {
      const url = `http://127.0.0.1:${lists.port}/api.json`;
      const source = { name, kind: "models-dev", url, rules };
      return (await root.data<{ id: number }>("POST", "/api/prices/sources", source)).id;
    };
    const file = (name: string): string => join(home.dataDir, name);

    test("a list is fetched, and what is accepted is charged on this node at once", async () => {
      const id = await addSource("by hand");
      write(2.75);
      const path = `/api/prices/sources/${id}/sync`;
      const draft = await root.data<PriceDraft>("POST", path, {});
      expect(draft.lines.map(({ model, field, proposed }) => [model, field, proposed])).toEqual([
        ["gpt-4o", "input", "2.75"],
      ]);
      const accept = draft.lines.map(({ line }) => line);
      const tried = `/api/prices/drafts/${draft.id}/prices`;
      const { books } = await root.data<{ books: object[] }>("POST", tried, { accept });
      const begun = await root.data<{ state: string }>("POST", "/api/prices/previews", {
        books,
        days: 1,
      });
      expect(begun.state).toMatch(/running|done/);
      expect(await priceOf("gpt-4o")).toMatchObject({ input: "2.5" });
      await root.data("POST", `/api/prices/drafts/${draft.id}`, { accept });
      expect(await priceOf("gpt-4o")).toMatchObject({ input: "2.75" });
    });

    test("a list of over 20 MB is not read to its end", async () => {
      const id = await addSource("large");
      list = " ".repeat(20_100_000);
      const answer = await root.post(`/api/prices/sources/${id}/sync`, {});
      expect(answer.body).toMatchObject({
        success: false,
        message: expect.stringContaining("20 MB"),
      });
      const rows = await root.data<PriceSourceRow[]>("GET", "/api/prices/sources");
      expect(rows.find((row) => row.id === id)?.error).toContain("20 MB");
    });

    test("the command line syncs from a file, and saves what the rules allow", async () => {
      await addSource("the list", { raise_max: 5 });
      write(2.8);
      writeFileSync(file("list.json"), list);
      const run = async (...args: string[]) => await runCommand(home, ["prices", "sync", ...args]);
      const shown = await run("the list", "--file", file("list.json"));
      expect(shown.output).toContain("gpt-4o input: 2.75 → 2.8 (+1.82 %) [open]");
      expect(await priceOf("gpt-4o")).toMatchObject({ input: "2.75" });
      const saved = await run("the list", "--file", file("list.json"), "--apply");
      expect([saved.code, saved.output]).toEqual([0, expect.stringContaining("1 are saved")]);
      for (let look = 0; look < 200; look += 1) {
        if ((await priceOf("gpt-4o"))?.input === "2.8") break;
        await Bun.sleep(50);
      }
      expect(await priceOf("gpt-4o")).toMatchObject({ input: "2.8" });
      writeFileSync(file("list.json"), "<html>");
      const wrong = await run("the list", "--file", file("list.json"));
      expect([wrong.code, wrong.output]).toEqual([
        1,
        expect.stringContaining("This is no list of prices of this kind"),
      ]);
      expect((await run("nobody")).output).toContain("There is no such price source");
      expect((await run()).code).toBe(2);
    });

    test("a bill is laid beside the ledger in the console and on the command line", async () => {
      const day = new Date().toISOString().slice(0, 10);
      const bill = `date,model,input_tokens,output_tokens\n${day},gpt-4o,100,10\n`;
      const { id } = await root.data<{ id: number }>("POST", "/api/bills", {});
      await root.data("POST", `/api/bills/${id}/parts`, { place: 0, text: bill.slice(0, 20) });
      await root.data("POST", `/api/bills/${id}/parts`, { place: 1, text: bill.slice(20) });
      const path = `/api/bills/${id}/compare`;
      const result = await root.data<BillResult>("POST", path, { kind: "openai" });
      expect(result.rows).toMatchObject([
        { day, model: "gpt-4o", bill: { input: 100, output: 10 }, here: { calls: 0, input: 0 } },
      ]);
      writeFileSync(file("bill.csv"), bill);
      const { code, output } = await runCommand(home, ["bill", "openai", file("bill.csv")]);
      expect([code, output]).toEqual([3, expect.stringContaining(`sum,${day},gpt-4o`)]);
      writeFileSync(file("bill.csv"), "");
      const empty = await runCommand(home, ["bill", "openai", file("bill.csv")]);
      expect([empty.code, empty.output]).toEqual([1, expect.stringContaining("The file is empty")]);
      expect((await runCommand(home, ["bill", "paper", file("bill.csv")])).code).toBe(2);
    });
  });
}
