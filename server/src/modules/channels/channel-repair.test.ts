import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import { testDialects } from "#db/testing/database.ts";
import { openGateway } from "./testing/channels.ts";

for (const dialect of testDialects) {
  describe(`repairs of channels on ${dialect}`, () => {
    test("O-073 O-100: a repair counts the channels that calls were routed by otherwise than the tables say", async () => {
      const { db, call, create, close } = await openGateway(dialect);
      const [moved, gone, same] = [await create(), await create(), await create()];
      expect(await call(contract.fixChannels, {})).toBe(0);

      await db.updateTable("channels").set({ models: "o3" }).where("id", "=", moved).execute();
      await db.deleteFrom("channels").where("id", "=", gone).execute();
      // Calls are not routed by when a channel was tested.
      await db.updateTable("channels").set({ test_time: 5 }).where("id", "=", same).execute();
      expect(await call(contract.fixChannels, {})).toBe(2);
      expect(await call(contract.fixChannels, {})).toBe(0);
      const changes = await db.selectFrom("config_changes").select(["part", "entity_id"]).execute();
      // Other nodes read all channels anew, too.
      expect(changes.at(-1)).toEqual({ part: "channels", entity_id: 0 });
      await close();
    });
  });
}
