/**
 * Tests what becomes of calls while the store is stuck for longer than an answer waits for its
 * charge.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { runCommand } from "#test/gateway.ts";
import { errorOf, requestIdOf, sendChat } from "./chat-call.ts";
import { readLeftovers } from "./database-after.ts";
import { lockDatabase } from "./database-lock.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import { addSpender, type Installation, openInstallation } from "./installation.ts";
import { eventually, readChannel, readLogs, readSelf, readToken } from "./ledger.ts";

const opening = 1_000_000;
const tokenQuota = 100_000;

/** A call costs (17 + 20 × 3) × 2 = 154 quota units. */
const prices = { ratio: 2, completionRatio: 3 };
const script = { promptTokens: 17, events: 20 };
const whole = { name: "withheld-whole", script: { ...script, hold: "head" as const }, ...prices };
const stream = { name: "late-stream", script: { ...script, hold: 10 }, ...prices };
const charge = 154;

/** How long the store is stuck: longer than an answer waits for its charge. */
const stuckMs = 11_000;

for (const dialect of testDialects) {
  describe(`the store is stuck for over 10 s on ${dialect}`, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [whole, stream] });
    });
    afterAll(async () => await place.close());

    test("a whole answer that is refused costs nothing in the end, a stream with its text does", async () => {
      const { origin, demo, root, channelId, home } = place;
      const plan = { unlimited_quota: false, remain_quota: tokenQuota };
      const { client, key, tokenId } = await addSpender(place, opening, plan);
      const afterId = await lastCallId(demo);
      const calls = [whole, stream].map(({ name }) =>
        sendChat(origin, { key, model: name, stream: name === stream.name }),
      );
      await untilCalled(demo, { count: calls.length, afterId });
      const lock = await lockDatabase(home, stuckMs);
      await Promise.all([whole, stream].map(({ name }) => demo.release(name)));
      const [refused, late] = await Promise.all(calls.map(({ answer }) => answer));
      expect(lock.isHeld()).toBe(true);
      await lock.release();
      if (refused === undefined || late === undefined) throw new Error("a call has no answer");

      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(errorOf(refused)?.code).toBe("billing_unavailable");
      expect(refused.text).toContain("this call is free");
      expect(refused.text).not.toContain("choices");
      expect([late.status, errorOf(late)?.code]).toEqual([200, "billing_unavailable"]);

      const rows = await eventually(
        () => readLogs(root, { type: 2 }),
        (found) => found.length === 2 && found.some(({ reversed }) => reversed),
        { what: "both rows, and one that was given back" },
      );
      const told = rows.map((row) => [row.request_id, row.quota, row.reversed]);
      expect(new Map(told.map(([id, ...rest]) => [id, rest]))).toEqual(
        new Map([
          [requestIdOf(refused), [charge, true]],
          [requestIdOf(late), [charge, false]],
        ]),
      );
      expect(await readSelf(client)).toMatchObject({
        quota: opening - charge,
        used_quota: charge,
        request_count: 1,
      });
      const { remain_quota, used_quota } = await readToken(client, tokenId);
      expect([remain_quota, used_quota]).toEqual([tokenQuota - charge, charge]);
      expect((await readChannel(root, channelId)).used_quota).toBe(charge);
      expect(await root.call<object>("GET", "/api/log/stat?type=2")).toMatchObject({
        quota: charge,
      });
      const notes = (await readLogs(root, { type: 4 })).filter((row) => row.write_off > 0);
      expect(notes).toMatchObject([
        { request_id: requestIdOf(refused), quota: charge, write_off: charge },
      ]);
      expect(notes[0]?.content).toContain("应答未送达");
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      expect(metrics).toContain(`tollgate_written_off_withheld_units ${charge}`);
      expect(metrics).toContain("tollgate_holds_open 0");

      expect(await place.gateway().stop("SIGINT")).toBe(0);
      expect(await readLeftovers(home)).toEqual([]);
      const audit = await runCommand(home, ["audit"]);
      expect(audit.code, audit.output).toBe(0);
    });
  });
}
