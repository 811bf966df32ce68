import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { user } from "@tollgate/contract/endpoints/users.ts";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { migrations } from "#db/migrations/index.ts";
import { createTestDatabase, testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const key = "a1-B2_c3d4e5f6";
const taken = { ok: true, text: '{"errcode":0}' } as const;

for (const dialect of testDialects) {
  describe(`notification settings on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());
    beforeEach(() => {
      gateway.outside.sent.length = 0;
      gateway.outside.answer = taken;
      gateway.mails.length = 0;
      gateway.setOptions({});
    });

    const save = async (client: Client, setting: object) =>
      (
        await client.put("/api/user/setting", {
          notify_type: "email",
          quota_warning_threshold: 1_000,
          ...setting,
        })
      ).body;
    const saved = async (client: Client) =>
      JSON.parse(user.parse((await client.get("/api/user/self")).body.data).setting);
    const sendTest = async (client: Client) => await client.post("/api/user/setting/test");

    test("A-035: chosen events are saved; a console that does not send events changes none", async () => {
      const alice = await gateway.user("alice");
      expect(await save(alice, {})).toEqual({ success: true, message: "设置已更新" });
      expect(await saved(alice)).toMatchObject({ events: ["quota_low"] });

      const events = ["announcement", "price_change"];
      expect((await save(alice, { events })).success).toBe(true);
      expect(await saved(alice)).toMatchObject({ events: ["price_change", "announcement"] });
      expect((await save(alice, { quota_warning_threshold: 7 })).success).toBe(true);
      expect(await saved(alice)).toMatchObject({
        events: ["price_change", "announcement"],
        quota_warning_threshold: 7,
      });
      expect((await save(alice, { events: [] })).success).toBe(true);
      expect(await saved(alice)).toMatchObject({ events: [] });

      for (const wrong of [["birthday"], "quota_low", null, Array(6).fill("quota_low")]) {
        expect(await save(alice, { events: wrong })).toMatchObject({
          success: false,
          message: "无效的通知事件",
        });
      }
    });

    test("A-035: settings saved before events existed subscribe to the balance notice only", async () => {
      const { address, remove } = await createTestDatabase(dialect);
      const { db, close } = openDatabase(address, "writer", 60_000);
      // The tables have another shape before these migrations, so the database is typed loosely.
      const plain = db as unknown as Kysely<unknown>;
      const [...names] = Object.keys(migrations);
      const before = names.slice(0, names.indexOf("20261122-1220-broadcasts"));
      expect(before.length).toBeGreaterThan(0);
      for (const name of before) await migrations[name]?.(plain, dialect);
      await sql`insert into notification_settings values (7, 1000, 'bark', '', '', '', 'x')`.execute(
        db,
      );
      for (const name of names.slice(before.length)) await migrations[name]?.(plain, dialect);

      const rows = await db.selectFrom("notification_settings").selectAll().execute();
      expect(rows).toMatchObject([
        { user_id: 7, notify_type: "bark", quota_low: 1, price_change: 0, announcement: 0 },
      ]);
      await close();
      await remove();
    });

    test("A-037: a robot's key is required, kept when the field is left empty, and never shown", async () => {
      const bob = await gateway.user("bob");
      const missing = { success: false, message: "请填写机器人密钥", field: "robot_key" };
      for (const notify_type of ["dingtalk", "wecom"]) {
        for (const robot_key of [undefined, "", null]) {
          expect(await save(bob, { notify_type, robot_key })).toMatchObject(missing);
        }
      }
      expect(gateway.outside.sent).toEqual([]);

      expect((await save(bob, { notify_type: "dingtalk", robot_key: ` ${key} ` })).success).toBe(
        true,
      );
      const shown = { notify_type: "dingtalk", has_robot_key: true, robot_type: "dingtalk" };
      expect(await saved(bob)).toMatchObject(shown);
      const answer = await bob.get("/api/user/self");
      expect(JSON.stringify(answer.body)).not.toContain(key);
      const rows = await gateway.db.selectFrom("notification_settings").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(key);

      // The stored key survives a change of the notification method, but belongs only to the kind
      // of robot it was saved for.
      expect((await save(bob, { notify_type: "email" })).success).toBe(true);
      expect(await save(bob, { notify_type: "wecom" })).toMatchObject(missing);
      expect(await saved(bob)).toMatchObject({ ...shown, notify_type: "email" });
      expect((await save(bob, { notify_type: "dingtalk", robot_key: "" })).success).toBe(true);
      expect((await sendTest(bob)).body.success).toBe(true);
      expect(gateway.outside.sent[0]?.url).toEndWith(`access_token=${key}`);
    });

    test("A-037: only the characters of a key can get into a robot's address", async () => {
      const carol = await gateway.user("carol");
      const wrong = ["a b", "a&x=1", "a/../b", "a#", "a%20", "密钥", "a?b", "a.b", "x".repeat(129)];
      for (const robot_key of wrong) {
        const answer = await save(carol, { notify_type: "wecom", robot_key });
        expect(answer, robot_key).toMatchObject({ success: false, field: "robot_key" });
        expect(answer.message).toStartWith("机器人密钥");
      }
      expect((await carol.get("/api/user/self")).body.data).toMatchObject({ setting: "" });
    });

    test("A-036: a test notice uses the saved method, or e-mail where none is saved", async () => {
      const dave = await gateway.user("dave");
      const sent = { success: true, message: "测试通知已发送" };
      expect((await sendTest(dave)).body).toMatchObject({
        success: false,
        message: "没有收信邮箱，请填写通知邮箱或绑定邮箱",
      });
      await gateway.db
        .updateTable("users")
        .set({ email: "dave@example.com" })
        .where("id", "=", dave.id)
        .execute();
      expect((await sendTest(dave)).body).toMatchObject({
        success: false,
        message: "管理员未配置邮件服务",
      });
      gateway.setOptions({ SMTPServer: "mail.example.com" });
      expect((await sendTest(dave)).body).toMatchObject(sent);
      expect(gateway.mails).toMatchObject([{ to: "dave@example.com", subject: "测试通知" }]);

      const webhook_url = "https://hooks.example.com/x";
      await save(dave, { notify_type: "webhook", webhook_url });
      expect((await sendTest(dave)).body).toMatchObject(sent);
      expect(gateway.outside.sent).toMatchObject([{ method: "POST", url: webhook_url }]);
      expect(JSON.parse(gateway.outside.sent[0]?.body ?? "")).toMatchObject({ type: "test" });
    });

    test("P-N1: a host name of a private address is not called, whatever the operator allows", async () => {
      let called = 0;
      const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => new Response(String((called += 1))),
      });
      gateway.hosts["hooks.inside.test"] = ["127.0.0.1"];
      gateway.outside.answer = undefined;
      const mallory = await gateway.user("mallory");
      await save(mallory, { notify_type: "webhook", webhook_url: "http://hooks.inside.test/" });
      expect((await sendTest(mallory)).body).toEqual({
        success: false,
        message: "通知地址不是公网地址",
      });
      // The forwarder is the operator's own, so it may have a private address.
      gateway.setOptions({ WorkerUrl: `http://hooks.inside.test:${server.port}/` });
      expect((await sendTest(mallory)).body.success).toBe(true);
      expect(called).toBe(1);
      await server.stop(true);
    });

    test("A-036: a failed test notice says why, without the key or the address", async () => {
      const why: [string, Awaited<typeof gateway.outside.answer>, string][] = [
        [
          "dingtalk",
          { ok: true, text: '{"errcode":310000,"errmsg":"from ip 198.51.100.7"}' },
          "钉钉机器人没有接受通知（310000），请检查密钥和安全设置",
        ],
        [
          "wecom",
          { ok: true, text: '{"errcode":93000}' },
          "企业微信机器人没有接受通知（93000），请检查密钥",
        ],
        ["wecom", { ok: false, reason: "http-502" }, "接收通知的服务器返回了 HTTP 502"],
        ["wecom", { ok: false, reason: "timeout-first-byte" }, "接收通知的服务器没有及时应答"],
      ];
      for (const [index, [notify_type, answer, message]] of why.entries()) {
        const client = await gateway.user(`erin${index}`);
        await save(client, { notify_type, robot_key: key });
        gateway.outside.answer = answer;
        expect((await sendTest(client)).body).toEqual({ success: false, message });
      }
    });

    test("A-036: a user can send five test notices in ten minutes", async () => {
      const [frank, grace] = [await gateway.user("frank"), await gateway.user("grace")];
      for (const client of [frank, grace]) {
        await save(client, { notify_type: "wecom", robot_key: key });
      }
      for (let count = 0; count < 5; count += 1) {
        expect((await sendTest(frank)).body.success).toBe(true);
      }
      const refused = await sendTest(frank);
      expect([refused.status, refused.body.message]).toEqual([429, "操作过于频繁，请稍后再试"]);
      expect((await sendTest(grace)).body.success).toBe(true);
      expect(gateway.outside.sent).toHaveLength(6);

      gateway.clock.nowMs += 10 * 60_000 + 1;
      expect((await sendTest(frank)).body.success).toBe(true);
    });
  });
}
