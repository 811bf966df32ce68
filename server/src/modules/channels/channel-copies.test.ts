import { describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addCosts, findCosts, makeCosts } from "#modules/costs/costs.ts";
import { basic, now, openGateway } from "./testing/channels.ts";

for (const dialect of testDialects) {
  describe(`copies of channels on ${dialect}`, () => {
    test("a copy costs what its source costs, in a version of its own, however it is asked for", async () => {
      const { db, create, close } = await openGateway(dialect);
      const [id, without] = [
        await create({ key: "k1" }),
        await create({ key: "k2", name: "free" }),
      ];
      const typed = { "gpt-4o": { tokens: { input: "1.25", output: "5" } } };
      const made = makeCosts({ factor: "0.8", typed, catalogue: "", listed: {} }, "500000");
      if (!made.ok) throw new Error(made.message);
      const given = { content: made.value, createdBy: 1, nowMs: now * 1_000 };
      await addCosts(db, { channelId: id, ...given });

      const copies = [
        await create({ name: "copy", key: "", copy_from: id }),
        await create({ ...basic, name: "main_复制", created_time: null, key: String(id) }),
      ];
      const ofNothing = await create({ name: "other copy", key: "", copy_from: without });
      const costs = await findCosts(db, null);
      for (const copy of copies) {
        expect(costs.get(copy)?.content).toBe(costs.get(id)?.content ?? "none");
        expect(costs.get(copy)?.id).not.toBe(costs.get(id)?.id);
      }
      expect(costs.has(ofNothing)).toBe(false);
      await close();
    });
  });
}
