import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { readLogs, readSelf, readToken, sumOf } from "./ledger.ts";
import { chatUntilBilled, isWhole } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, setOption } from "./installation.ts";

const callers = 20;
const callsEach = 30;
const opening = 100_000_000;
const granted = 50_000_000;

/** A call costs (12 + 10 × 2) × 3 = 96 quota units, in both groups. */
const model = {
  name: "edited",
  script: { promptTokens: 12, events: 10, headDelayMs: 30 },
  ratio: 3,
  completionRatio: 2,
};
const charge = 96;

for (const dialect of testDialects) {
  describe(dialect, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, {
        models: [model],
        channel: { group: "default,vip" },
      });
      await setOption(place.root, "GroupRatio", '{"default":1,"vip":1}');
    });
    afterAll(async () => await place.close());

    test("saving user and token while calls settle loses no unit of either", async () => {
      const { root, origin } = place;
      const spender = await addSpender(place, opening, {
        unlimited_quota: false,
        remain_quota: granted,
      });
      const { client, key, tokenId } = spender;
      const userPath = `/api/user/${client.userId}`;
      let spending = true;
      let credited = 0;
      const saves = { user: 0, credit: 0, group: 0, token: 0, self: 0 };
      const repeat = async (what: keyof typeof saves, save: () => Promise<void>): Promise<void> => {
        while (spending) {
          await save();
          saves[what] += 1;
          await Bun.sleep(5);
        }
      };

      // Sends back a user's row that was read 10 ms before: it may be out of date by then, which
      // must undo no spending.
      const saveUser = async (): Promise<void> => {
        const row = await root.call<AdminUser>("GET", userPath);
        await Bun.sleep(10);
        await root.call("PUT", "/api/user/", row);
      };
      const credit = async (): Promise<void> => {
        const delta = credited % 2 === 0 ? 1_001 : -500;
        await root.call("PUT", "/api/user/", { id: client.userId, quota_delta: delta });
        credited += delta;
      };
      const changeGroup = async (): Promise<void> => {
        const { group } = await root.call<AdminUser>("GET", userPath);
        const other = group === "vip" ? "default" : "vip";
        await root.call("PUT", "/api/user/", { id: client.userId, group: other });
      };
      const saveToken = async (): Promise<void> => {
        const row = await client.call<Token>("GET", `/api/token/${tokenId}`);
        expect(row.key).not.toContain(key.slice("sk-".length));
        await Bun.sleep(10);
        await client.call("PUT", "/api/token/", row);
      };
      const saveSelf = async (): Promise<void> => {
        const row = await readSelf(client);
        await client.call("PUT", "/api/user/self", { ...row, display_name: `n${saves.self}` });
      };
      const editing = Promise.all([
        repeat("user", saveUser),
        repeat("credit", credit),
        repeat("group", changeGroup),
        repeat("token", saveToken),
        repeat("self", saveSelf),
      ]);

      const spend = async (caller: number): Promise<void> => {
        for (let turn = 0; turn < callsEach; turn += 1) {
          const stream = (caller + turn) % 2 === 0;
          const answer = await chatUntilBilled(origin, { key, model: model.name, stream });
          expect(isWhole(answer, stream), answer.text).toBe(true);
        }
      };
      await Promise.all(Array.from({ length: callers }, (_, caller) => spend(caller)));
      spending = false;
      await editing;

      const spent = 57_600; // 20 callers × 30 calls × 96 units
      const self = await readSelf(client);
      expect(self.quota).toBe(opening + credited - spent);
      expect(self.used_quota).toBe(spent);
      expect(self.request_count).toBe(callers * callsEach);
      const token = await readToken(client, tokenId);
      expect(token.used_quota).toBe(spent);
      expect(token.remain_quota).toBe(granted - spent);
      const rows = await readLogs(root, { type: 2, username: self.username });
      expect(rows.length).toBe(callers * callsEach);
      expect(sumOf(rows)).toBe(spent);
      expect(rows.every(({ quota }) => quota === charge)).toBe(true);
      for (const [what, count] of Object.entries(saves)) {
        expect(count, `saves of ${what} while calls settled`).toBeGreaterThan(5);
      }
    });
  });
}
