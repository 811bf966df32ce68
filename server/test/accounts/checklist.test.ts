import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { SetupChecklist } from "@tollgate/contract/endpoints/checklist.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`checklists on ${dialect}`, () => {
    let gateway: TestConsole;
    let root: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      root = await gateway.root();
    });
    afterAll(async () => await gateway.close());
    afterEach(() => gateway.setOptions({}));

    const setup = async (): Promise<SetupChecklist> => {
      root = await gateway.root();
      const { body } = await root.get("/api/setup/checklist");
      return body.data as SetupChecklist; // the contract of this call
    };
    const mark = async (name: string, marked: boolean) =>
      await root.put("/api/setup/checklist", { name, marked });
    const addChannel = async (models: string, more: object = {}): Promise<number> => {
      const name = `c-${crypto.randomUUID()}`;
      const row = { name, type: 1, key: "sk-1", group: "default", models, ...more };
      expect((await root.post("/api/channel/", row)).body.success).toBe(true);
      const { id } = await gateway.db
        .selectFrom("channels")
        .select("id")
        .where("name", "=", name)
        .executeTakeFirstOrThrow();
      return id;
    };
    const count = async (kind: "channel" | "user", id: number, calls: number, quota: number) => {
      await gateway.db
        .insertInto("counters")
        .values({
          kind,
          id,
          request_count: calls,
          used_quota: quota,
          prompt_tokens: 0,
          completion_tokens: 0,
        })
        .execute();
    };

    test("a new installation has everything to do, and says what is missing", async () => {
      expect(await setup()).toEqual({
        dismissed: false,
        done: [],
        marked: {},
        facts: {
          provider: { enabled: 0, proven: 0, last_test: 0, unproven_id: 0 },
          prices: { models: 0, unpriced: 0 },
          token: { count: 0 },
          call: { count: 0, quota: 0 },
          users: { open: true, quota: 0 },
          address: { server_address: "" },
          mail: { server: "" },
          second_factor: { on: false },
          backup: { dialect, key_file: "/data/secret.key" },
        },
      });
    });

    test("a provider is connected once an enabled channel has answered a test or a call", async () => {
      const tested = await addChannel("gpt-4o-mini,no-price-1");
      await addChannel("no-price-2", { status: 2 });
      expect((await setup()).facts.provider).toMatchObject({ enabled: 1, unproven_id: tested });
      expect((await setup()).done).not.toContain("provider");

      const change = { test_time: 1_795_000_000, response_time: 300 };
      await gateway.db.updateTable("channels").set(change).where("id", "=", tested).execute();
      expect(await setup()).toMatchObject({
        done: ["provider"],
        facts: {
          provider: { enabled: 1, proven: 1, last_test: 1_795_000_000, unproven_id: 0 },
          // The model of the disabled channel does not count, because nobody can call it.
          prices: { models: 2, unpriced: 1 },
        },
      });

      const called = await addChannel("gpt-4o-mini");
      expect((await setup()).facts.provider).toMatchObject({ enabled: 2, unproven_id: called });
      await count("channel", called, 3, 120);
      const after = await setup();
      expect(after.facts.provider).toMatchObject({ enabled: 2, proven: 2, unproven_id: 0 });
      expect(after.facts.call).toEqual({ count: 3, quota: 120 });
      expect(after.done).toEqual(["provider", "call"]);
      await gateway.db
        .updateTable("channels")
        .set({ models: "gpt-4o-mini" })
        .where("id", "=", tested)
        .execute();
      expect((await setup()).done).toEqual(["provider", "prices", "call"]);
    });

    test("options tick their steps, and untick them again", async () => {
      gateway.setOptions({
        QuotaForNewUser: "500000",
        ServerAddress: "https://gate.example",
        SMTPServer: "smtp.example.com",
        SMTPAccount: "gate@example.com",
      });
      expect((await setup()).done).toEqual([
        "provider",
        "prices",
        "call",
        "users",
        "address",
        "mail",
      ]);
      // Without a sender, no mail server accepts an e-mail.
      gateway.setOptions({ SMTPServer: "smtp.example.com", RegisterEnabled: "false" });
      const closed = await setup();
      expect(closed.done).toEqual(["provider", "prices", "call", "users"]);
      expect(closed.facts.users).toEqual({ open: false, quota: 0 });
    });

    test("root's own token ticks its step, another user's does not", async () => {
      const token = { name: "mine", unlimited_quota: true, expired_time: -1 };
      const other = await gateway.user("keyed");
      await other.post("/api/token/", token);
      expect((await setup()).done).not.toContain("token");
      await root.post("/api/token/", token);
      expect((await setup()).facts.token).toEqual({ count: 1 });
    });

    test("root marks what the server cannot see, once, and can take it back", async () => {
      for (const name of ["backup", "mail", "dismissed"]) {
        expect((await mark(name, true)).body.success).toBe(true);
      }
      const at = Math.floor(gateway.clock.nowMs / 1_000);
      gateway.clock.nowMs += 60_000;
      await mark("backup", true);
      expect(await setup()).toMatchObject({
        dismissed: true,
        done: expect.arrayContaining(["mail", "backup"]),
        marked: { backup: at, mail: at },
      });
      await mark("mail", false);
      await mark("dismissed", false);
      const after = await setup();
      expect([after.dismissed, after.marked]).toEqual([false, { backup: at }]);
      const audit = await root.get("/api/audit/?action=setup.step");
      const { items } = audit.body.data as { items: { target: string; detail: string }[] };
      expect(items.map(({ target, detail }) => [target, JSON.parse(detail).marked])).toEqual([
        ["step:dismissed", false],
        ["step:mail", false],
        ["step:dismissed", true],
        ["step:mail", true],
        ["step:backup", true],
      ]);
    });

    test("a step that the server judges itself cannot be marked", async () => {
      for (const name of ["call", "prices", "nonsense", ""]) {
        expect((await mark(name, true)).body).toMatchObject({ success: false });
      }
    });

    test("users see their own way to a first call, and dismiss only their own list", async () => {
      gateway.setOptions({ QuotaForNewUser: "7" });
      const body = { username: "fresh", password: "correct horse" };
      await gateway.call("POST", "/api/user/register", { body });
      const fresh = await gateway.signIn("fresh");
      const read = async (client: Client) => (await client.get("/api/user/checklist")).body.data;
      expect(await read(fresh)).toEqual({ dismissed: false, tokens: 0, calls: 0, quota: 7 });
      await fresh.post("/api/token/", { name: "k", unlimited_quota: true, expired_time: -1 });
      await count("user", fresh.id, 2, 5);
      expect(await read(fresh)).toEqual({ dismissed: false, tokens: 1, calls: 2, quota: 7 });
      const change = { name: "dismissed", marked: true };
      expect((await fresh.put("/api/user/checklist", change)).body.success).toBe(true);
      expect(await read(fresh)).toMatchObject({ dismissed: true });
      expect(await read(await gateway.user("other"))).toMatchObject({ dismissed: false });
      expect((await setup()).dismissed).toBe(false);
      expect((await fresh.put("/api/setup/checklist", change)).body.success).toBe(false);
      expect((await fresh.get("/api/setup/checklist")).body.success).toBe(false);
    });
  });
}
