import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { token, type Token, tokenBatchMax } from "@tollgate/contract/endpoints/tokens.ts";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`token lists and batches on ${dialect}`, () => {
    let gateway: TestConsole;
    let alice: Client;
    let bob: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      alice = await gateway.user("alice");
      bob = await gateway.user("bob");
    });
    afterAll(async () => await gateway.close());

    const create = async (client: Client, body: object = {}): Promise<Token> => {
      const answer = await client.post("/api/token/", { name: "laptop", ...body });
      if (answer.body.success !== true) throw new Error(answer.body.message);
      return token.parse(answer.body.data);
    };
    const statusOf = async (client: Client, id: number) =>
      token.parse((await client.get(`/api/token/${id}`)).body.data).status;

    test("O-326, O-328: list and search report how many rows all pages have", async () => {
      const carol = await gateway.user("carol");
      for (const name of ["web 1", "web 2", "web 3", "phone"]) await create(carol, { name });
      await create(bob, { name: "web 4" });

      expect((await carol.get("/api/token/?p=1&size=3")).body).toMatchObject({
        data: [{ name: "web 1" }],
        total: 4,
      });
      expect((await carol.get("/api/token/search?keyword=web&p=1&size=2")).body).toMatchObject({
        data: [{ name: "web 1" }],
        total: 3,
      });
      // Older consoles send no page and get the first hundred rows.
      expect((await carol.get("/api/token/search?keyword=web")).body).toMatchObject({
        data: [{ name: "web 3" }, { name: "web 2" }, { name: "web 1" }],
        total: 3,
      });
      expect((await carol.get("/api/token/search?keyword=none")).body).toMatchObject({
        data: [],
        total: 0,
      });
    });

    test("O-338: a batch deletes the caller's tokens and nobody else's", async () => {
      const [one, two] = [await create(alice), await create(alice)];
      const foreign = await create(bob);

      const answer = await alice.post("/api/token/batch", {
        ids: [two.id, foreign.id, one.id, two.id, 999_999],
      });

      expect(answer.body).toMatchObject({ success: true, data: 2 });
      for (const { id } of [one, two]) {
        expect((await alice.get(`/api/token/${id}`)).body.success).toBe(false);
      }
      expect(await statusOf(bob, foreign.id)).toBe(1);
    });

    test("O-311: root finds tokens by their owner, and disables those of several users at once", async () => {
      const root = await gateway.root();
      const mine = await create(alice, { name: "of two users" });
      const hers = await create(bob, { name: "of two users" });

      const found = await root.get("/api/token/newSearch?username=ALI&keyword=of%20two");
      expect(found.body).toMatchObject({ data: [{ id: mine.id, username: "alice" }], total: 1 });
      const ids = [mine.id, hers.id];
      const disabled = await root.post("/api/token/new/batch/status", { ids, status: 2 });
      expect(disabled.body.data).toEqual(ids.map((id) => ({ id, success: true, message: "" })));
      expect([await statusOf(alice, mine.id), await statusOf(bob, hers.id)]).toEqual([2, 2]);
      const refused = await bob.post("/api/token/new/batch/status", { ids, status: 1 });
      expect(refused.body.success).toBe(false);
    });

    test("O-307, O-339: root deletes tokens of several users at once, which is audited; others may not", async () => {
      const root = await gateway.root();
      const mine = await create(alice);
      const hers = await create(bob);
      const ids = [mine.id, hers.id];
      expect((await bob.post("/api/token/new/batch", { ids })).body.success).toBe(false);
      expect(await statusOf(alice, mine.id)).toBe(1);

      const answer = await root.post("/api/token/new/batch", { ids: [...ids, 999_999] });

      expect(answer.body).toMatchObject({ success: true, data: 2 });
      const noted = await gateway.db
        .selectFrom("audit_log")
        .select("target")
        .where("action", "=", "token.delete")
        .where("target", "in", [`token:${mine.id}`, `token:${hers.id}`])
        .execute();
      expect(noted.length).toBe(2);
    });

    test("O-323: a batch enables the tokens it can, and says why not for each other one", async () => {
      const good = await create(alice, { unlimited_quota: true });
      const spent = await create(alice, { remain_quota: 0 });
      const foreign = await create(bob, { unlimited_quota: true });
      const ids = [spent.id, good.id, foreign.id];

      const disabled = await alice.post("/api/token/batch/status", { ids, status: 2 });
      expect(disabled.body.data).toEqual([
        { id: spent.id, success: true, message: "" },
        { id: good.id, success: true, message: "" },
        { id: foreign.id, success: false, message: "令牌不存在" },
      ]);
      const enabled = await alice.post("/api/token/batch/status", { ids, status: 1 });
      expect(enabled.body.data).toEqual([
        {
          id: spent.id,
          success: false,
          message: "令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度",
        },
        { id: good.id, success: true, message: "" },
        { id: foreign.id, success: false, message: "令牌不存在" },
      ]);
      expect(await statusOf(alice, good.id)).toBe(1);
      expect(await statusOf(alice, spent.id)).toBe(2);
      expect(await statusOf(bob, foreign.id)).toBe(1);
    });

    test("a batch can set only the statuses 1 and 2", async () => {
      const { id } = await create(alice);
      const answer = await alice.post("/api/token/batch/status", { ids: [id], status: 4 });
      expect(answer.body).toMatchObject({ success: false, field: "status" });
    });

    test("O-302, O-313: one call reveals many keys to the owner and root, each audited", async () => {
      const [one, two] = [await create(alice, { name: "one" }), await create(alice)];
      const root = await gateway.root();
      const ids = [two.id, one.id, 999_999];
      const keys = [
        { id: two.id, name: "laptop", key: two.key },
        { id: one.id, name: "one", key: one.key },
      ];

      expect((await alice.post("/api/token/batch/keys", { ids })).body.data).toEqual(keys);
      expect((await root.post("/api/token/batch/keys", { ids })).body.data).toEqual(keys);
      expect((await bob.post("/api/token/batch/keys", { ids })).body.data).toEqual([]);
      const notes = await gateway.db
        .selectFrom("audit_log")
        .where("action", "<>", "token.create")
        .select(["actor_id", "action", "target"])
        .where("target", "in", [`token:${one.id}`, `token:${two.id}`])
        .orderBy("id")
        .execute();
      expect(notes).toEqual(
        [alice.id, root.id].flatMap((actor_id) =>
          [one.id, two.id].map((id) => ({
            actor_id,
            action: "token.reveal",
            target: `token:${id}`,
          })),
        ),
      );
      expect(await verifyAudit(gateway.db)).toMatchObject({ ok: true });
    });

    test("a caller can reveal ten batches of keys a minute", async () => {
      const dave = await gateway.user("dave");
      const { id } = await create(dave);
      for (let count = 0; count < 10; count += 1) {
        expect((await dave.post("/api/token/batch/keys", { ids: [id] })).status).toBe(200);
      }
      expect((await dave.post("/api/token/batch/keys", { ids: [id] })).status).toBe(429);
    });

    // Without this limit, a stolen session could take a thousand keys in a minute.
    test("each key of a batch counts against the sixty a minute", async () => {
      const erin = await gateway.user("erin");
      const made = [await create(erin), await create(erin, { name: "two" })];
      const ids = Array.from({ length: 58 }, (_, index) => 900_000 + index);
      const reveal = async (...more: number[]) =>
        await erin.post("/api/token/batch/keys", { ids: more });

      const all = await reveal(...ids, ...made.map(({ id }) => id), 800_000);
      expect(all.body).toMatchObject({ success: false, message: expect.stringContaining("60") });
      expect((await reveal(...ids)).status).toBe(200);
      expect((await reveal(1, 2, 3)).status).toBe(429);
      // The batch that was refused as a whole has used up nothing of the limit, so two keys are
      // still left.
      expect((await reveal(...made.map(({ id }) => id))).body.data).toHaveLength(2);
      expect((await erin.post(`/api/token/${made[0]?.id}/key`, {})).status).toBe(429);
    });

    test("an empty batch and one that is too long are refused", async () => {
      const long = Array.from({ length: tokenBatchMax + 1 }, (_, index) => index + 1);
      for (const ids of [[], long]) {
        for (const path of ["/api/token/batch", "/api/token/batch/keys"]) {
          expect((await alice.post(path, { ids })).body.success).toBe(false);
        }
      }
    });

    test("a refusal names the field it is about", async () => {
      for (const [field, body] of Object.entries({
        name: { name: "" },
        group: { group: "nowhere" },
        allow_ips: { allow_ips: "here" },
        model_limits: { model_limits: "a\u0001b" },
        expired_time: { expired_time: 0 },
        remain_quota: { remain_quota: -1 },
      })) {
        const answer = await alice.post("/api/token/", { name: "laptop", ...body });
        expect(answer.body).toMatchObject({ success: false, field });
      }
    });
  });
}
