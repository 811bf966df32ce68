import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import type { Answer, Client } from "./open-console.ts";
import { dataOf, forOrganisation, openScene, ownQuota, type Scene } from "./organisation-scene.ts";

type Self = { readonly quota: number; readonly username: string; readonly debt: number };

for (const dialect of testDialects) {
  describe(`the money of an organisation on ${dialect}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(dialect);
    });
    afterAll(async () => await scene.gateway.close());

    const move = async (who: Client, direction: "in" | "out", amount: number): Promise<Answer> =>
      await who.post(`/api/organisation/${scene.id}/transfer`, { direction, amount });
    const ownOf = async (who: Client): Promise<number> =>
      dataOf<Self>(await who.get("/api/user/self")).quota;
    const itsSelf = async (who: Client): Promise<Self> =>
      dataOf<Self>(await forOrganisation(scene, who, scene.id)("GET", "/api/user/self"));

    test("a transfer takes from one balance what it gives to the other, and back", async () => {
      const { owner, billing } = scene.person;
      dataOf(await move(owner, "in", 700));
      dataOf(await move(billing, "in", 300));
      expect(await itsSelf(owner)).toMatchObject({ quota: 1_000, username: "@acme" });
      expect([await ownOf(owner), await ownOf(billing)]).toEqual([ownQuota - 700, ownQuota - 300]);

      dataOf(await move(billing, "out", 400));
      expect((await itsSelf(billing)).quota).toBe(600);
      expect(await ownOf(billing)).toBe(ownQuota + 100);
      expect((await proveLedger(scene.gateway.db)).flaw).toBeNull();
    });

    test("both histories name the other side", async () => {
      const { owner } = scene.person;
      type Entries = { items: { kind: string; amount: number; detail: string }[] };
      const path = "/api/user/self/entries?page_size=100";
      const own = dataOf<Entries>(await owner.get(path)).items;
      const its = dataOf<Entries>(await forOrganisation(scene, owner, scene.id)("GET", path)).items;
      expect(own).toContainEqual(
        expect.objectContaining({ kind: "transfer_out", amount: -700, detail: "@acme" }),
      );
      expect(its).toContainEqual(
        expect.objectContaining({ kind: "transfer_in", amount: 700, detail: "owner" }),
      );
    });

    test("T18: a half of a transfer that is missing is found", async () => {
      const { db } = scene.gateway;
      const half = { cause: "transfer_in:alone", kind: "transfer_in", detail: "" } as const;
      const nowMs = scene.gateway.clock.nowMs;
      const failed = db.transaction().execute(async (tx) => {
        await postEntry(tx, { ...half, userId: scene.id, amount: 5, nowMs });
        expect((await proveLedger(tx)).flaw).toMatchObject({ check: "T18" });
        throw new Error("undone");
      });
      await expect(failed).rejects.toThrow("undone");
    });

    test("a debt of the organisation stops transfers out, and what comes in pays it", async () => {
      const { db, clock } = scene.gateway;
      const { owner } = scene.person;
      const { quota } = await itsSelf(owner);
      await db.transaction().execute(async (tx) => {
        const owed = { cause: "opening:test", kind: "opening", detail: "" } as const;
        const amount = 0 - quota - 50;
        await postEntry(tx, { ...owed, userId: scene.id, amount, nowMs: clock.nowMs });
      });
      expect(await itsSelf(owner)).toMatchObject({ quota: 0, debt: 50 });
      // What root gives by hand pays no debt, and cannot be moved out either.
      const adjust = `/api/organisation/${scene.id}/adjust`;
      dataOf(await scene.root.post(adjust, { amount: 10 }));
      expect((await move(owner, "out", 1)).body.message).toContain("欠费");
      dataOf(await scene.root.post(adjust, { amount: -10 }));
      expect((await close("acme")).body.success).toBe(false);

      dataOf(await move(owner, "in", 80));
      expect(await itsSelf(owner)).toMatchObject({ quota: 30, debt: 0 });
      expect((await proveLedger(db)).flaw).toBeNull();
    });

    test("a code that is redeemed for the organisation is credited to it", async () => {
      const { root, person } = scene;
      const body = { name: "gift", quota: 70, count: 1 };
      const [key] = dataOf<string[]>(await root.post("/api/redemption/", body));
      const before = [(await itsSelf(person.owner)).quota, await ownOf(person.billing)];
      const call = forOrganisation(scene, person.billing, scene.id);
      dataOf(await call("POST", "/api/user/topup", { key }));
      const after = [(await itsSelf(person.owner)).quota, await ownOf(person.billing)];
      expect(after).toEqual([(before[0] ?? 0) + 70, before[1] ?? 0]);
    });

    test("root gives and takes, suspends, and changes the group", async () => {
      const { root, id, person } = scene;
      const { quota } = await itsSelf(person.owner);
      dataOf(await root.post(`/api/organisation/${id}/adjust`, { amount: 20, reason: "gift" }));
      expect((await itsSelf(person.owner)).quota).toBe(quota + 20);
      dataOf(await root.put(`/api/organisation/all/${id}`, { state: "suspended" }));
      expect((await move(person.owner, "in", 1)).body.message).toBe("该组织已被停用");
      dataOf(await root.put(`/api/organisation/all/${id}`, { state: "open" }));
      dataOf(await move(person.owner, "in", 1));
      expect((await proveLedger(scene.gateway.db)).flaw).toBeNull();
    });

    const close = async (handle: string): Promise<Answer> =>
      await scene.person.owner.post(`/api/organisation/${scene.id}/close`, { handle });

    test("it is closed once its balance is out, and is gone for everybody then", async () => {
      const { owner } = scene.person;
      expect((await close("acme")).body.success).toBe(false);
      dataOf(await move(owner, "out", (await itsSelf(owner)).quota));
      dataOf(await close("acme"));
      expect((await owner.get(`/api/organisation/${scene.id}`)).body.success).toBe(false);
      expect(dataOf(await owner.get("/api/organisation/"))).toEqual([]);
      expect((await proveLedger(scene.gateway.db)).flaw).toBeNull();
    });
  });
}
