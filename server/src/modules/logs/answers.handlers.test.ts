import * as contract from "@tollgate/contract/endpoints/log-answers.ts";
import { describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { isReplyValue } from "#http/handler.ts";
import { insertCallLogs } from "./logs.ts";
import { addHours, admin, alice, call, openLogs, root } from "./testing/logs.ts";

/** The events of an answer that goes on. */
function eventsOf(answer: unknown): AsyncIterable<unknown> {
  if (!isReplyValue(answer) || answer.events === undefined) throw new Error("no events");
  return answer.events;
}

for (const dialect of testDialects) {
  describe(`who is answered what on ${dialect}`, () => {
    test("users are answered about their own calls alone, without users and channels", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const bobs = { ...call, request_id: "req-2", user_id: 8, username: "bob", token_id: 12 };
      await insertCallLogs(db, [call, bobs]);
      await addHours(db, [call, bobs]);
      const others = { username: "bob", channel: "3", start_timestamp: "1" };

      const own = await ask(contract.readOwnLogChart, { ...others, by: "user" }, alice);
      const chart = contract.readOwnLogChart.output.parse(own);
      expect(chart.totals).toEqual({ quota: 275, calls: 1, failures: 0 });
      expect(chart.series.map(({ value }) => value)).toEqual(["gpt-4o"]);
      for (const facet of ["user", "channel"]) {
        const refused = ask(contract.readOwnLogFacet, { facet }, alice);
        await expect(refused).rejects.toThrow();
      }
      const models = await ask(contract.readOwnLogFacet, { ...others, facet: "model" }, alice);
      expect(models).toMatchObject({ values: [{ value: "gpt-4o", calls: 1, quota: 275 }] });

      const all = await ask(contract.readLogChart, { by: "user" }, admin);
      expect(all).toMatchObject({ totals: { calls: 2 } });
      const byKey = await ask(contract.readLogChartByKey, { key: "sk-bobs", by: "user" }, root);
      expect(byKey).toMatchObject({ totals: { calls: 1 }, series: [{ value: "8", name: "bob" }] });
      await close();
    });

    test("failed calls are grouped with their channels for those who may know of them", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const other = JSON.stringify({ status_code: 500, error_code: "x" });
      await insertCallLogs(db, [{ ...call, type: 5, quota: 0, other }]);
      const group = { ending: "failed 500 x", calls: 1, users: 1 };
      const channels = [{ id: 3, name: "main", calls: 1 }];
      expect(await ask(contract.readLogFailures, {}, admin)).toMatchObject([
        { ...group, channels },
      ]);
      const own = await ask(contract.readOwnLogFailures, {}, alice);
      expect(own).toMatchObject([{ ...group, channels: [] }]);
      await close();
    });

    test("a file has of each row what its reader may see of it", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call, { ...call, request_id: "req-2", user_id: 8 }]);
      const read = async (endpoint: typeof contract.exportLogs, caller: typeof alice) => {
        const rows = [];
        for await (const part of eventsOf(await ask(endpoint, {}, caller))) {
          rows.push(...endpoint.output.parse(part).rows);
        }
        return rows;
      };
      // Safe cast: the endpoints of a file differ by the fields of their rows alone.
      const own = await read(
        contract.exportOwnLogs as unknown as typeof contract.exportLogs,
        alice,
      );
      expect(own.map(({ request_id }) => request_id)).toEqual(["req-1"]);
      expect(own[0]).toMatchObject({ channel: 0, channel_name: "" });
      expect(own[0]?.other).not.toContain("use_channel");
      const asAdmin = await read(contract.exportLogs, admin);
      expect(asAdmin.map(({ channel_name }) => channel_name)).toEqual(["main", "main"]);
      expect(asAdmin[0]?.other).not.toContain("use_channel");
      expect((await read(contract.exportLogs, root))[0]?.other).toContain("use_channel");
      await close();
    });

    test("a user reads two files at a time, and may begin another when one has ended", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call]);
      const begin = async () => {
        const events = eventsOf(await ask(contract.exportOwnLogs, {}, alice));
        const reading = events[Symbol.asyncIterator]();
        await reading.next();
        return reading;
      };
      const first = await begin();
      await begin();
      await expect(ask(contract.exportOwnLogs, {}, alice)).rejects.toThrow();
      await first.return?.(undefined);
      await begin();
      await close();
    });
  });
}
