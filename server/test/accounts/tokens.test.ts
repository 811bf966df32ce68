import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { token, type Token } from "@tollgate/contract/endpoints/tokens.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const tokens = z.array(token);

for (const dialect of testDialects) {
  describe(`tokens on ${dialect}`, () => {
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
    const listOf = async (client: Client, query = "p=0&size=100"): Promise<Token[]> =>
      tokens.parse((await client.get(`/api/token/?${query}`)).body.data);

    test("O-333, O-274: creating a token shows its whole key once, and the other defaults", async () => {
      const made = await create(alice, { remain_quota: 500_000 });

      expect(made.key).toMatch(/^[0-9A-Za-z]{48}$/);
      expect(made).toMatchObject({
        user_id: alice.id,
        name: "laptop",
        status: 1,
        expired_time: -1,
        remain_quota: 500_000,
        used_quota: 0,
        unlimited_quota: false,
        model_limits_enabled: false,
        model_limits: "",
        allow_ips: "",
        group: "",
        DeletedAt: null,
      });
      expect(made.created_time).toBe(gateway.clock.nowMs / 1_000);
    });

    // Specification: O-009, O-313, P-S1.
    test("a key is masked everywhere else, and the database does not contain it", async () => {
      const { id, key } = await create(alice);
      const masked = `${key.slice(0, 4)}••••${key.slice(-4)}`;
      const seen = [
        await alice.get(`/api/token/${id}`),
        await alice.get("/api/token/?p=0&size=100"),
        await alice.get(`/api/token/search?token=${key}`),
        await alice.get("/api/token/query"),
        await alice.put("/api/token/", { id, name: "renamed" }),
        await alice.put("/api/token/?status_only=1", { id, status: 2 }),
      ].map(({ body }) => JSON.stringify(body));
      for (const text of seen) {
        expect(text).toContain(masked);
        expect(text).not.toContain(key);
      }
      const rows = JSON.stringify([
        await gateway.db.selectFrom("tokens").selectAll().execute(),
        await gateway.db.selectFrom("audit_log").selectAll().execute(),
      ]);
      expect(rows).not.toContain(key);
      expect(new Set((await listOf(alice)).map((row) => row.key)).size).toBe(
        (await listOf(alice)).length,
      );
    });

    test("O-313: the owner and root can reveal the whole key, and each time is audited", async () => {
      const { id, key } = await create(alice);
      const root = await gateway.root();
      const path = `/api/token/${id}/key`;

      expect((await alice.post(path)).body.data).toEqual({ key });
      expect((await root.post(path)).body.data).toEqual({ key });
      const refused = await bob.post(path);
      expect(refused.body).toEqual({ success: false, message: "令牌不存在" });
      expect((await bob.post("/api/token/999999/key")).body).toEqual(refused.body);
      const notes = await gateway.db
        .selectFrom("audit_log")
        .where("action", "<>", "token.create")
        .select(["actor_id", "action"])
        .where("target", "=", `token:${id}`)
        .orderBy("id")
        .execute();
      expect(notes).toEqual([
        { actor_id: alice.id, action: "token.reveal" },
        { actor_id: root.id, action: "token.reveal" },
      ]);
      expect(await verifyAudit(gateway.db)).toMatchObject({ ok: true });
    });

    test("a caller can reveal sixty keys a minute", async () => {
      const carol = await gateway.user("carol");
      const { id } = await create(carol);
      for (let count = 0; count < 60; count += 1) {
        expect((await carol.post(`/api/token/${id}/key`)).status).toBe(200);
      }
      expect((await carol.post(`/api/token/${id}/key`)).status).toBe(429);
    });

    // A sealed key copied to another user's row must not open for that user.
    test("a sealed key moved to another user's row does not open", async () => {
      const [mine, theirs] = [await create(alice), await create(bob)];
      const { sealed } = await gateway.db
        .selectFrom("tokens")
        .select("sealed")
        .where("id", "=", theirs.id)
        .executeTakeFirstOrThrow();
      await gateway.db.updateTable("tokens").set({ sealed }).where("id", "=", mine.id).execute();

      expect((await alice.post(`/api/token/${mine.id}/key`)).status).toBe(500);
    });

    test("O-326, O-330: the own list counts pages from 0, newest first; -1 is the first", async () => {
      const dave = await gateway.user("dave");
      const made: Token[] = [];
      for (const name of ["a", "b", "c"]) made.push(await create(dave, { name }));
      const names = async (query: string) => (await listOf(dave, query)).map(({ name }) => name);

      expect(await names("p=0&size=2")).toEqual(["c", "b"]);
      expect(await names("p=-1&page_size=2")).toEqual(["c", "b"]);
      expect(await names("p=1&size=2")).toEqual(["a"]);
      expect(await names("p=2&size=2")).toEqual([]);
      expect((await dave.get("/api/token/query?p=1&size=2")).body).toMatchObject({
        data: [{ name: "a" }],
        total: 3,
      });
      expect((await dave.get("/api/token/query?page=2&size=2")).body).toMatchObject({
        data: [{ name: "a" }],
        total: 3,
      });
    });

    // Specification: O-262.
    test("a search finds part of a name, a whole key with and without sk-, and part of a mask", async () => {
      const erin = await gateway.user("erin");
      const { key } = await create(erin, { name: "Office" });
      await create(erin, { name: "50% off" });
      const found = async (query: string) =>
        tokens
          .parse((await erin.get(`/api/token/search?${query}`)).body.data)
          .map(({ name }) => name);

      expect(await found("keyword=ffic")).toEqual(["Office"]);
      expect(await found("keyword=50%25")).toEqual(["50% off"]);
      expect(await found("keyword=_")).toEqual([]);
      expect(await found(`token=${key}`)).toEqual(["Office"]);
      expect(await found(`token=sk-${key}`)).toEqual(["Office"]);
      expect(await found(`token=${key.slice(0, 4)}`)).toContain("Office");
      expect(
        await found(`token=${encodeURIComponent(`sk-${key.slice(0, 4)}••••${key.slice(-4)}`)}`),
      ).toEqual(["Office"]);
      // What is at hand of a key: its last four, or the mask of a refusal.
      expect(await found(`keyword=${key.slice(-4)}`)).toEqual(["Office"]);
      expect(await found(`token=sk-${key.slice(0, 3)}***${key.slice(-3)}`)).toEqual(["Office"]);
      expect(await found(`token=${key.slice(0, 3)}***zzz`)).toEqual([]);
      // A hidden part of a key finds nothing: somebody could otherwise guess it piece by piece.
      expect(await found(`token=${key.slice(4, 10)}`)).toEqual([]);
      expect(await found(`keyword=ffic&token=${key.slice(-4)}`)).toEqual(["Office"]);
    });

    test("O-311, O-318, O-327, O-329: root lists all tokens with names, others their own without", async () => {
      const root = await gateway.root();
      await create(bob, { name: "bobs" });
      const all = (await root.get("/api/token/newSearch?keyword=bobs")).body;

      expect(all).toMatchObject({ data: [{ name: "bobs", username: "bob" }], total: 1 });
      const own = (await bob.get("/api/token/newSearch?keyword=bobs")).body;
      expect(own).toMatchObject({ data: [{ name: "bobs" }], total: 1 });
      expect(JSON.stringify(own)).not.toContain("username");
      expect((await alice.get("/api/token/newSearch?keyword=bobs")).body).toMatchObject({
        data: [],
        total: 0,
      });
    });

    test("O-331, O-334, O-338: nobody else can read, change or delete a user's token", async () => {
      const { id } = await create(alice, { name: "mine" });
      for (const attempt of [
        () => bob.get(`/api/token/${id}`),
        () => bob.put("/api/token/", { id, name: "theirs" }),
        () => bob.put("/api/token/?status_only=true", { id, status: 2 }),
        () => bob.delete(`/api/token/${id}/`),
        // The paths without `new` serve the caller's own tokens only, also for root.
        async () => await (await gateway.root()).delete(`/api/token/${id}/`),
      ]) {
        expect((await attempt()).body).toEqual({ success: false, message: "令牌不存在" });
      }
      for (const attempt of [
        () => bob.get(`/api/token/new/${id}`),
        () => bob.put("/api/token/new/", { id, name: "theirs" }),
        () => bob.delete(`/api/token/new/${id}/`),
      ]) {
        expect((await attempt()).body.message).toBe("无权进行此操作，权限不足");
      }
      expect((await alice.get(`/api/token/${id}`)).body.data).toMatchObject({ name: "mine" });
    });

    test("O-332, O-335, O-337, O-339: root changes tokens of others by new routes, audited", async () => {
      const root = await gateway.root();
      const { id } = await create(alice);

      expect((await root.get(`/api/token/new/${id}`)).body.data).toMatchObject({
        username: "alice",
      });
      const edited = await root.put("/api/token/new/", { id, name: "by root" });
      expect(edited.body.data).toMatchObject({ name: "by root", user_id: alice.id });
      const off = await root.put("/api/token/new/?status_only=true", { id, status: 2 });
      expect(off.body.data).toMatchObject({ status: 2 });
      expect((await root.delete(`/api/token/new/${id}/`)).body.success).toBe(true);
      expect((await alice.get(`/api/token/${id}`)).body.success).toBe(false);
      const notes = await gateway.db
        .selectFrom("audit_log")
        .where("action", "<>", "token.create")
        .select("action")
        .where("target", "=", `token:${id}`)
        .orderBy("id")
        .execute();
      expect(notes.map(({ action }) => action)).toEqual([
        "token.update",
        "token.status",
        "token.delete",
      ]);
    });

    test("O-338: a deleted token is gone from every list and from what the relay loads", async () => {
      const { id } = await create(alice, { name: "doomed" });
      expect((await alice.delete(`/api/token/${id}/`)).body.success).toBe(true);

      expect((await listOf(alice)).map((row) => row.id)).not.toContain(id);
      expect((await alice.get("/api/token/search?keyword=doomed")).body.data).toEqual([]);
      expect((await alice.delete(`/api/token/${id}/`)).body.success).toBe(false);
      const change = await gateway.db
        .selectFrom("config_changes")
        .select(["part", "entity_id"])
        .orderBy("version", "desc")
        .executeTakeFirst();
      expect(change).toEqual({ part: "tokens", entity_id: id });
    });

    test("a user has as many tokens as root allows; older surplus ones stay", async () => {
      const grace = await gateway.user("grace");
      const [first, second] = [await create(grace), await create(grace)];
      gateway.setOptions({ TokensPerUserMax: "1" });
      await expect(create(grace)).rejects.toThrow("令牌数量已达上限 1");
      const kept = (await grace.get("/api/token/")).body.data as { id: number }[];
      expect(kept.map(({ id }) => id)).toEqual([second.id, first.id]);
      gateway.setOptions({ TokensPerUserMax: "3" });
      expect((await create(grace)).id).toBeGreaterThan(second.id);
      gateway.setOptions({});
    });

    test("a user has at most a thousand tokens; deleted ones do not count", async () => {
      const frank = await gateway.user("frank");
      const { id } = await create(frank);
      const row = await gateway.db
        .selectFrom("tokens")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const { id: _, ...columns } = row;
      for (let start = 0; start < 999; start += 333) {
        await gateway.db
          .insertInto("tokens")
          .values(
            Array.from({ length: 333 }, (__, index) => ({
              ...columns,
              lookup: `copy ${start + index}`,
            })),
          )
          .execute();
      }

      await expect(create(frank)).rejects.toThrow("令牌数量已达上限 1000");
      await frank.delete(`/api/token/${id}/`);
      expect((await create(frank)).id).toBeGreaterThan(id);
    });
  });
}
