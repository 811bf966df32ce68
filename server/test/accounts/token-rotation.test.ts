import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rotateToken } from "@tollgate/contract/endpoints/token-rotation.ts";
import { token, type Token } from "@tollgate/contract/endpoints/tokens.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`replacing keys on ${dialect}`, () => {
    let gateway: TestConsole;
    let alice: Client;
    let bob: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      alice = await gateway.user("alice");
      bob = await gateway.user("bob");
    });
    afterAll(async () => await gateway.close());

    const create = async (body: object = {}): Promise<Token> =>
      token.parse((await alice.post("/api/token/", { name: "laptop", ...body })).body.data);
    const rotate = async (client: Client, id: number, seconds: unknown) =>
      (await client.post(`/api/token/${id}/rotate`, { old_key_seconds: seconds })).body;
    const read = async (id: number): Promise<Token> =>
      token.parse((await alice.get(`/api/token/${id}`)).body.data);
    const nowSeconds = () => Math.floor(gateway.clock.nowMs / 1_000);
    const mask = (key: string) => `${key.slice(0, 4)}••••${key.slice(-4)}`;
    /** Returns when the keys end by which the relay finds a token; 0: never. */
    const endsOf = async (id: number) => {
      const { loadTokens, openToken } = gateway.modules.tokens.snapshot;
      const [loaded] = await loadTokens([id]);
      const [view, old] = (loaded?.packed ? loaded.lookups : []).map((lookup) =>
        openToken(loaded?.packed ?? "", lookup),
      );
      return [view?.keyEndsAt, old?.keyEndsAt, view?.lookup === old?.lookup];
    };
    const notes = async (id: number) =>
      await gateway.db
        .selectFrom("audit_log")
        .where("action", "<>", "token.create")
        .select(["action", "actor_id", "detail"])
        .where("target", "=", `token:${id}`)
        .orderBy("id")
        .execute();

    test("the answer has the whole new key, lists both masked, and the audit log has neither", async () => {
      const { id, key: old } = await create({ remain_quota: 70 });
      const answer = token.parse((await rotate(alice, id, 3_600)).data);
      const endsAt = nowSeconds() + 3_600;
      expect(answer).toMatchObject({ id, old_key: mask(old), old_key_ends_at: endsAt });
      expect(answer.key.length).toBe(48);
      expect(answer.key).not.toBe(old);
      expect(await read(id)).toMatchObject({
        key: mask(answer.key),
        old_key: mask(old),
        remain_quota: 70,
      });
      expect(await endsOf(id)).toEqual([0, endsAt, false]);
      const revealed = (await alice.post(`/api/token/${id}/key`)).body.data;
      expect(revealed).toEqual({ key: answer.key });
      const [note] = await notes(id);
      expect(note).toMatchObject({ action: "token.rotate", actor_id: alice.id });
      expect(note?.detail).toContain(mask(answer.key));
      expect(note?.detail.includes(old) || note?.detail.includes(answer.key)).toBe(false);
    });

    test("an old key that has ended is not shown any more", async () => {
      const { id } = await create();
      await rotate(alice, id, 60);
      gateway.clock.nowMs += 59_000;
      expect((await read(id)).old_key).not.toBe("");
      gateway.clock.nowMs += 1_000;
      expect(await read(id)).toMatchObject({ old_key: "", old_key_ends_at: 0 });
    });

    test("the key before the replaced one ends at once", async () => {
      const first = await create();
      const { id } = first;
      const second = token.parse((await rotate(alice, id, 3_600)).data);
      await rotate(alice, id, 7_200);
      expect((await read(id)).old_key).toBe(mask(second.key));
      const found = async (key: string) =>
        (await alice.get(`/api/token/search?token=sk-${key}`)).body.data;
      expect(await found(first.key)).toEqual([]);
      expect(await found(second.key)).toMatchObject([{ id }]);
    });

    test("an old key can be ended before its time, which is audited once", async () => {
      const { id } = await create();
      await rotate(alice, id, 3_600);
      for (let count = 0; count < 2; count += 1) {
        const ended = await alice.post(`/api/token/${id}/old-key/end`);
        expect(ended.body.data).toMatchObject({ id, old_key: "", old_key_ends_at: 0 });
      }
      expect(await endsOf(id)).toEqual([0, nowSeconds(), false]);
      const actions = (await notes(id)).map(({ action }) => action);
      expect(actions).toEqual(["token.rotate", "token.end-old-key"]);
    });

    test("only the owner and root replace keys, after a step-up, and for at most 30 days", async () => {
      const { id } = await create();
      expect((await rotate(bob, id, 0)).message).toBe("令牌不存在");
      expect((await bob.post(`/api/token/${id}/old-key/end`)).body.success).toBe(false);
      for (const seconds of [-1, 1.5, "x", undefined]) {
        expect((await rotate(alice, id, seconds)).message).toBe("旧密钥的保留时间无效");
      }
      expect((await rotate(alice, id, 2_592_001)).message).toBe("旧密钥最多保留 30 天");
      const root = await gateway.root();
      expect((await rotate(root, id, 2_592_000)).success).toBe(true);
      expect(await notes(id)).toMatchObject([{ action: "token.rotate", actor_id: root.id }]);
      expect(rotateToken.stepUp?.({ id, old_key_seconds: 0 })).toBe(true);
    });

    test("what is left of budgets is read from the windows of the present day, week and month", async () => {
      const { id } = await create({ budget_day: 100, budget_month: 1_000 });
      const [day, month] = (await read(id)).budgets;
      expect([day, month]).toMatchObject([
        { window: "day", limit: 100, spent: 0 },
        { window: "month", limit: 1_000, spent: 0 },
      ]);
      const ends = day?.resets_at ?? 0;
      const row = { token_id: id, kind: "day" as const, held: 5 };
      await gateway.db
        .insertInto("token_budgets")
        .values([
          { ...row, starts_at: ends - 86_400, ends_at: ends, spent: 30 },
          { ...row, starts_at: ends - 2 * 86_400, ends_at: ends - 86_400, spent: 99 },
        ])
        .execute();
      const listed = (await alice.get("/api/token/?size=100")).body.data;
      expect(listed).toContainEqual(
        expect.objectContaining({ id, budgets: [{ ...day, spent: 30 }, month] }),
      );
      expect((await create()).budgets).toEqual([]);
    });
  });
}
