import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  listOwnEntries,
  listUserEntries,
  type Statement,
} from "@tollgate/contract/endpoints/entries.ts";
import { testDialects } from "#db/testing/database.ts";
import { rewardInvitation } from "#modules/affiliates/affiliates.ts";
import { type AgentScene, openAgentScene, unit } from "./agent-scene.ts";
import type { Client } from "./open-console.ts";

/** The number of random changes of a balance. */
const changeCount = 40;

for (const dialect of testDialects) {
  describe(`the statement of a balance on ${dialect}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      scene = await openAgentScene(dialect);
    });
    afterAll(async () => await scene.close());

    const sumOf = ({ totals, calls }: Statement) =>
      totals.reduce((sum, { amount }) => sum + amount, calls);

    test("O-378, O-388: its totals and its rows add up to the balance to the unit, whatever happened", async () => {
      const owner = await scene.user("owner");
      const friends: Client[] = [];
      let left = 0;
      // A generator with a fixed seed, so that a failure can be repeated.
      let seed = 7;
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * below);
      };
      const changes: readonly (() => Promise<void>)[] = [
        async () => {
          const quota = 1 + random(3 * unit);
          await scene.pay(owner, quota);
          left += quota;
        },
        async () => {
          const quota = random(Math.min(left, unit));
          await scene.spend(owner, quota);
          left -= quota;
        },
        async () => {
          const quota_delta = random(1_000) - Math.min(left, 500);
          if (quota_delta === 0) return;
          const root = await scene.root();
          const quota_version = (await statementOf(root)).total;
          const body = { id: owner.id, quota_delta, quota_version };
          expect((await root.put("/api/user/", body)).body).toMatchObject({ success: true });
          left += quota_delta;
        },
        async () => {
          const friend = await scene.user(`friend${friends.length}`);
          friends.push(friend);
          await scene.db.transaction().execute(async (tx) => {
            await rewardInvitation(tx, {
              inviterId: owner.id,
              inviteeId: friend.id,
              quotaForInviter: unit,
              quotaForInvitee: 0,
              nowMs: scene.clock.nowMs,
            });
          });
          const moved = await owner.post("/api/user/aff_transfer", { quota: unit });
          expect(moved.body).toMatchObject({ success: true });
          left += unit;
        },
      ];
      const statementOf = async (root: Client, page = 1) =>
        listUserEntries.output.parse(
          (await root.get(`/api/user/${owner.id}/entries?p=${page}&page_size=7`)).body.data,
        );
      for (let at = 0; at < changeCount; at += 1) {
        await changes[at < 4 ? at : random(changes.length)]?.();
        const own = listOwnEntries.output.parse(
          (await owner.get("/api/user/self/entries")).body.data,
        );
        expect([at, own.balance, sumOf(own)]).toEqual([at, left, left]);
      }
      expect(await scene.quotaOf(owner)).toBe(left);
      const root = await scene.root();
      const rows: Statement["items"] = [];
      const { total } = await statementOf(root);
      for (let page = 1; rows.length < total; page += 1) {
        rows.push(...(await statementOf(root, page)).items);
      }
      expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(left);
      expect(rows[0]?.balance_after).toBe(left);
      expect(await scene.flaw()).toBeNull();
    });

    test("it names the call of each charge, sums each day, and finds entries by model and request", async () => {
      const gina = await scene.user("gina");
      await scene.pay(gina, 3 * unit);
      scene.clock.nowMs += 86_400_000;
      await scene.spend(gina, 1_000);
      await scene.spend(gina, 500);
      // A day later the first session has ended.
      const later = await scene.again(gina);
      const read = async (query = "") =>
        listOwnEntries.output.parse(
          (await later.get(`/api/user/self/entries?p=1&page_size=10${query}`)).body.data,
        );
      const { items, days } = await read();
      const [last] = items;
      expect(last?.model_name).toMatch(/\w/);
      expect(last?.request_id).toMatch(/\w/);
      expect(days.map(({ amount, count }) => [amount, count])).toEqual([
        [-1_500, 2],
        [3 * unit, 1],
      ]);
      // A page has whole days even if it begins and ends within them.
      const narrow = await later.get("/api/user/self/entries?p=1&page_size=1");
      expect(listOwnEntries.output.parse(narrow.body.data).days).toMatchObject([
        { amount: -1_500, count: 2 },
      ]);
      const byModel = await read(`&keyword=${last?.model_name}`);
      expect([byModel.total, byModel.items.length, byModel.days]).toEqual([2, 2, []]);
      const byRequest = await read(`&keyword=${last?.request_id}`);
      expect(byRequest.items.map(({ seq }) => seq)).toEqual([last?.seq ?? 0]);
      expect((await read("&keyword=no-such-model")).total).toBe(0);
    });
  });
}
