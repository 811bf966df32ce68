/** What becomes of a charge that the books refuse, after its call was answered, and of the others. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { testDialects } from "#db/testing/database.ts";
import { untilApplied } from "#test/applied.ts";
import { runCommand } from "#test/gateway.ts";
import { chatUntilBilled, requestIdOf, sendChat } from "#test/proof/chat-call.ts";
import { addressOf } from "#test/proof/database-after.ts";
import { lastCallId, untilCalled } from "#test/proof/demo-process.ts";
import { addSpender, type Installation, openInstallation } from "#test/proof/installation.ts";
import { readLogs, readSelf } from "#test/proof/ledger.ts";

const opening = 1_000_000;
const prices = { ratio: 2, completionRatio: 3 };
const script = { promptTokens: 17, events: 20 };
const held = { name: "held", script: { ...script, hold: 10 }, ...prices };
const free = { name: "free", script, ...prices };
/** (17 + 20 × 3) × 2 quota units. */
const charge = 154;
const others = 199;
const atOnce = 16;

for (const dialect of testDialects) {
  describe(`one charge of 200 is refused by the books on ${dialect}`, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [held, free] });
    });
    afterAll(async () => await place.close());

    test("the others are charged, its user finds it pending, and root is told", async () => {
      const { demo, home, origin, root } = place;
      const alice = await addSpender(place, opening);
      const bob = await addSpender(place, opening);
      const afterId = await lastCallId(demo);
      const bad = sendChat(origin, { key: bob.key, model: held.name, stream: true });
      await untilCalled(demo, { count: 1, afterId });
      await untilApplied(origin);
      const restore = await withoutBalance(place, (await readSelf(bob.client)).id);
      const one = { key: alice.key, model: free.name, stream: false };
      const ends: Promise<void>[] = Array.from({ length: atOnce }, async (_, line) => {
        for (let call = line; call < others; call += atOnce) {
          expect((await chatUntilBilled(origin, one)).status).toBe(200);
        }
      });
      await demo.release(held.name);
      const answer = await bad.answer;
      await Promise.all(ends);
      // Its client has the whole answer.
      expect(answer.text).toContain("[DONE]");
      await untilApplied(origin);
      await restore();

      expect(await readSelf(alice.client)).toMatchObject({
        quota: opening - others * charge,
        request_count: others,
      });
      const bads = (await readLogs(root)).filter((row) => row.request_id === requestIdOf(answer));
      expect(bads).toMatchObject([{ type: 5, quota: 0, content: "扣费待管理员处理" }]);
      const own = await bob.client.call<{ items: { content: string }[] }>(
        "GET",
        "/api/log/self?type=5",
      );
      expect(own.items.map(({ content }) => content)).toEqual(["扣费待管理员处理"]);
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      expect(metrics).toContain("tollgate_ledger_refused 1\n");
      await place.gateway().stop();
      const audit = await runCommand(home, ["audit"]);
      expect([audit.code, audit.output]).toEqual([1, expect.stringContaining("T16")]);
      expect(audit.output).toContain(requestIdOf(answer));
    }, 120_000);
  });
}

/** Takes the row of a user's balance away. @returns what puts it back. */
async function withoutBalance(
  { home }: Installation,
  userId: number,
): Promise<() => Promise<void>> {
  const opened = openDatabase(addressOf(home), "writer");
  const { rows } = await sql<Record<string, unknown>>`
    delete from balances where user_id = ${userId}
    returning *`.execute(opened.db);
  const [row] = rows;
  if (row === undefined) throw new Error("there is no balance");
  const names = Object.keys(row).map((name) => sql.ref(name));
  const values = Object.entries(row).map(([name, value]) => sql`${name === "held" ? 0 : value}`);
  return async () => {
    await sql`insert into balances (${sql.join(names)}) values (${sql.join(values)})`.execute(
      opened.db,
    );
    await opened.close();
  };
}
