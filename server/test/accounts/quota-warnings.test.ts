import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { user } from "@tollgate/contract/endpoints/users.ts";
import { judgeAddress, openAddressPolicy } from "#base/address-policy.ts";
import { openLogger } from "#base/logger.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import type { OutgoingMail, Mail } from "#modules/mail/mail.ts";
import { lostMs } from "#modules/notifications/broadcasts.repo.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import { openQuotaWarnings } from "#modules/notifications/quota-warnings.ts";
import { openSendNotice, type SendNotice } from "#modules/notifications/send-notice.ts";
import { sealSettings } from "#modules/notifications/settings.ts";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";
import { openForwarder, openOutbound } from "#modules/notifications/outbound.ts";

const hourMs = 3_600_000;

/** Starts a receiver of notices on this machine, with an HTTP client that may call it. */
function openReceiver() {
  const got: { method: string; path: string; signature: string | null; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const signature = request.headers.get("x-webhook-signature");
      got.push({ method: request.method, path: pathname, signature, body: await request.text() });
      return new Response("thanks", { status: pathname === "/broken" ? 500 : 200 });
    },
  });
  return { got, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

function outboundBy(loopback: boolean) {
  const policy = openAddressPolicy({ privateRanges: [], loopback });
  const nowMs = () => performance.now();
  const allows = (address: string) => judgeAddress(address, policy);
  const addresses = openAddressBook({ allows, resolve: async () => [], nowMs });
  return openOutbound(openTransport({ addresses, ticker: openTicker(nowMs) }));
}

for (const dialect of testDialects) {
  describe(`quota warnings on ${dialect}`, () => {
    const mails: OutgoingMail[] = [];
    const mail: Mail = {
      isSetUp: () => true,
      send: async (mail) => void mails.push(mail),
    };
    const receiver = openReceiver();
    let gateway: TestConsole;
    let warn: () => Promise<void>;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
      warn = openWarnings();
    });
    afterAll(async () => {
      await receiver.stop();
      await gateway.close();
    });
    beforeEach(() => {
      mails.length = 0;
      receiver.got.length = 0;
      gateway.clock.nowMs += 3 * hourMs;
    });

    function openWarnings(
      outbound = outboundBy(true),
      sendNotice: SendNotice | null = null,
    ): () => Promise<void> {
      const now = () => gateway.clock.nowMs;
      const send =
        sendNotice ??
        openSendNotice({
          mail,
          outbound,
          secrets: gateway.ports.secrets,
          systemName: () => "Gate",
          now,
        });
      return openQuotaWarnings({
        store: bindStore(notificationStore, gateway.db),
        sendNotice: send,
        threshold: () => 1_000,
        serverAddress: () => "https://gateway.test/",
        balancePath: () => "/topup",
        showQuota: String,
        now,
        log: openLogger("silent"),
      });
    }

    let postings = 0;
    const move = async (userId: number, amount: number): Promise<void> => {
      postings += 1;
      const { nowMs } = gateway.clock;
      const posting = { cause: `move:${postings}`, kind: "topup", userId, amount, nowMs } as const;
      await gateway.db
        .transaction()
        .execute(async (tx) => await postEntry(tx, { ...posting, detail: "" }));
    };
    /**
     * Writes what a charged call leaves behind for the job that warns of low balances: a lower
     * balance, and the call in the hourly sums.
     */
    const spend = async (userId: number, amount: number): Promise<void> => {
      await move(userId, -amount);
      const hour = Math.floor(gateway.clock.nowMs / hourMs) * 3_600;
      const keys = { token_id: 0, channel_id: 0, model_name: "m", group: "default" };
      const sums = { quota: amount, request_count: 1, prompt_tokens: 0, completion_tokens: 0 };
      await gateway.db
        .insertInto("usage_hours")
        .values({ hour, user_id: userId, ...keys, ...sums })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    };
    const withMail = async (name: string, quota: number): Promise<Client> => {
      const client = await gateway.user(name);
      await gateway.db
        .updateTable("users")
        .set({ email: `${name}@example.com` })
        .where("id", "=", client.id)
        .execute();
      if (quota > 0) await move(client.id, quota);
      return client;
    };
    const save = async (client: Client, setting: object) =>
      (await client.put("/api/user/setting", { quota_warning_threshold: 1_000, ...setting })).body;

    test("A-164: a user below the threshold is notified once, however many rounds and nodes look", async () => {
      const { id } = await withMail("alice", 5_000);
      await warn();
      await spend(id, 3_999);
      await warn();
      expect(mails).toEqual([]);

      await spend(id, 2);
      await Promise.all([warn(), openWarnings()(), warn()]);
      await spend(id, 100);
      await warn();
      expect(mails).toEqual([
        {
          to: "alice@example.com",
          subject: "您的额度即将用尽",
          text: "您的剩余额度为 999，已低于提醒额度 1000。查看账户：https://gateway.test/topup\n",
        },
      ]);
    });

    test("a user whose warning a node took before it died is warned by another one, once", async () => {
      const { id } = await withMail("widow", 1_500);
      await spend(id, 600);
      void openWarnings(undefined, () => new Promise(() => {}))();
      const taken = () =>
        gateway.db.selectFrom("quota_warnings").where("user_id", "=", id).selectAll().execute();
      while ((await taken()).length === 0) await Bun.sleep(1);
      await warn();
      expect(mails).toEqual([]);

      gateway.clock.nowMs += lostMs;
      await Promise.all([warn(), openWarnings()()]);
      expect(mails.map(({ to }) => to)).toEqual(["widow@example.com"]);
      gateway.clock.nowMs += lostMs;
      await warn();
      expect(mails).toHaveLength(1);
    });

    test("a user who always was below the threshold and makes no call is not notified", async () => {
      await withMail("idle", 10);
      await warn();
      expect(mails).toEqual([]);
    });

    test("A-457: a topped-up user is notified again, at least two hours after the last notice", async () => {
      const { id } = await withMail("bob", 1_500);
      await spend(id, 600);
      await warn();
      await move(id, 5_000);
      await warn();
      await spend(id, 5_500);
      await warn();
      expect(mails).toHaveLength(1);

      gateway.clock.nowMs += 2 * hourMs;
      await spend(id, 1);
      await warn();
      expect(mails).toHaveLength(2);
      gateway.clock.nowMs += 2 * hourMs;
      await spend(id, 1);
      await warn();
      expect(mails).toHaveLength(2);
    });

    test("A-039: the user's own threshold counts, and the user's own address gets the e-mail", async () => {
      const { id, ...client } = await withMail("carol", 5_000);
      const setting = { notify_type: "email", notification_email: "Ops@Example.com" };
      expect(await save({ id, ...client }, { ...setting, quota_warning_threshold: 4_000 })).toEqual(
        { success: true, message: "设置已更新" },
      );
      await spend(id, 1_001);
      await warn();
      expect(mails.map(({ to }) => to)).toEqual(["ops@example.com"]);
    });

    test("A-035: a user gets no low-balance notice until the event is chosen again", async () => {
      const client = await withMail("ivan", 1_500);
      expect((await save(client, { notify_type: "email", events: [] })).success).toBe(true);
      await spend(client.id, 600);
      const rules = { threshold: 1_000, nowMs: gateway.clock.nowMs };
      const { low } = await bindStore(notificationStore, gateway.db).findBalanceNews(rules);
      // The search itself leaves the user out. It returns a limited number of users per run of the
      // job, and users who are not subscribed would take all of these.
      expect(low).not.toContain(client.id);
      await warn();
      expect(mails).toEqual([]);

      const events = ["announcement", "quota_low"];
      expect((await save(client, { notify_type: "email", events })).success).toBe(true);
      await warn();
      expect(mails.map(({ to }) => to)).toEqual(["ivan@example.com"]);
    });

    // The user may turn the notice off after the search and before the claim.
    test("A-035: a user who turns the notice off between search and claim is not notified", async () => {
      const { id } = await withMail("judy", 900);
      await spend(id, 1);
      const store = bindStore(notificationStore, gateway.db);
      const rules = { threshold: 1_000, nowMs: gateway.clock.nowMs };
      const news = await store.findBalanceNews(rules);
      expect(news.low).toContain(id);
      await gateway.db
        .insertInto("notification_settings")
        .values({
          user_id: id,
          notify_type: "email",
          quota_warning_threshold: 1_000,
          settings: "",
          quota_low: 0,
          price_change: 1,
          announcement: 1,
          promotion: 0,
          periodic_contact: 0,
        })
        .execute();
      const claimed = await store.claimWarnings(news, rules);
      expect(claimed.map(({ user_id }) => user_id)).not.toContain(id);
    });

    test("a webhook receives the notice as JSON, signed with the user's secret", async () => {
      const { id } = await withMail("dave", 1_200);
      const setting = { notify_type: "webhook", quota_warning_threshold: 1_100 };
      await bindStore(notificationStore, gateway.db).saveSetting({
        user_id: id,
        ...setting,
        settings: sealSettings(gateway.ports.secrets, id, {
          webhook: { url: `${receiver.url}/hook`, secret: "s3cret" },
        }),
        before: "",
      });
      await spend(id, 200);
      await warn();

      const [post] = receiver.got;
      expect(receiver.got).toHaveLength(1);
      expect(post).toMatchObject({ method: "POST", path: "/hook" });
      const body = post?.body ?? "";
      expect(JSON.parse(body)).toEqual({
        type: "quota_exceed",
        title: "您的额度即将用尽",
        content: "您的剩余额度为 {{value}}，已低于提醒额度 {{value}}。查看账户：{{value}}",
        values: ["1000", "1100", "https://gateway.test/topup"],
        timestamp: Math.floor(gateway.clock.nowMs / 1_000),
      });
      expect(post?.signature).toBe(createHmac("sha256", "s3cret").update(body).digest("hex"));
      expect(mails).toEqual([]);
    });

    test("Bark receives title and text as parts of its URL", async () => {
      const { id } = await withMail("erin", 900);
      await bindStore(notificationStore, gateway.db).saveSetting({
        user_id: id,
        notify_type: "bark",
        quota_warning_threshold: 1_000,
        settings: sealSettings(gateway.ports.secrets, id, {
          bark: { url: `${receiver.url}/key/{{title}}/{{content}}` },
        }),
        before: "",
      });
      await spend(id, 1);
      await warn();

      const [got] = receiver.got;
      expect(got?.method).toBe("GET");
      expect(decodeURIComponent(got?.path ?? "")).toBe(
        "/key/您的额度即将用尽/您的剩余额度为 899，已低于提醒额度 1000。查看账户：https://gateway.test/topup",
      );
    });

    test("the operator's forwarder sends notices instead, so receivers do not see our IP", async () => {
      const { id } = await withMail("walt", 900);
      await bindStore(notificationStore, gateway.db).saveSetting({
        user_id: id,
        notify_type: "webhook",
        quota_warning_threshold: 1_000,
        settings: sealSettings(gateway.ports.secrets, id, {
          webhook: { url: "https://hooks.example.com/walt", secret: "s3cret" },
        }),
        before: "",
      });
      await spend(id, 1);
      const worker = { url: `${receiver.url}/worker`, key: "known to the worker" };
      const [direct, toForwarder] = [outboundBy(false), outboundBy(true)];
      await openWarnings(openForwarder({ direct, toForwarder, forwarder: () => worker }))();

      expect(receiver.got).toMatchObject([{ method: "POST", path: "/worker", signature: null }]);
      const asked = JSON.parse(receiver.got[0]?.body ?? "");
      expect(asked).toMatchObject({ key: worker.key, method: "POST" });
      expect(asked.url).toBe("https://hooks.example.com/walt");
      expect(asked.headers).toEqual({
        "content-type": "application/json",
        "x-webhook-signature": createHmac("sha256", "s3cret").update(asked.body).digest("hex"),
      });
      expect(JSON.parse(asked.body)).toMatchObject({ type: "quota_exceed" });
    });

    // P-N1: an address that was public when it was saved may be private when it is called.
    test("a private address is not called, and a failing one does not delay other users", async () => {
      const [one, two] = [await withMail("frank", 900), await withMail("grace", 900)];
      for (const [index, path] of ["/hook", "/broken"].entries()) {
        const userId = index === 0 ? one.id : two.id;
        await bindStore(notificationStore, gateway.db).saveSetting({
          user_id: userId,
          notify_type: "webhook",
          quota_warning_threshold: 1_000,
          settings: sealSettings(gateway.ports.secrets, userId, {
            webhook: { url: receiver.url + path },
          }),
          before: "",
        });
      }
      await spend(one.id, 1);
      await openWarnings(outboundBy(false))();
      expect(receiver.got).toEqual([]);
      await spend(two.id, 1);
      await warn();
      await warn();
      expect(receiver.got.map(({ path }) => path)).toEqual(["/broken"]);
    });

    test("A-036, A-038: settings are checked, saved, and shown to their user only, without the secret", async () => {
      const client = await withMail("heidi", 0);
      const url = "https://hooks.example.com/x";
      const bad: [object, string][] = [
        [{ notify_type: "pigeon" }, "无效的预警类型"],
        [{ notify_type: "email", quota_warning_threshold: 0 }, "预警阈值必须大于0"],
        [{ notify_type: "email", quota_warning_threshold: null }, "预警阈值必须大于0"],
        [{ notify_type: "webhook" }, "Webhook地址不能为空"],
        [{ notify_type: "webhook", webhook_url: "ftp://a.example/x" }, "无效的Webhook地址"],
        [{ notify_type: "webhook", webhook_url: "http://127.0.0.1/x" }, "无效的Webhook地址"],
        [{ notify_type: "webhook", webhook_url: "http://[::1]/x" }, "无效的Webhook地址"],
        [{ notify_type: "webhook", webhook_url: "http://169.254.169.254/" }, "无效的Webhook地址"],
        [{ notify_type: "webhook", webhook_url: "https://a.example:22/" }, "无效的Webhook地址"],
        [{ notify_type: "bark" }, "Bark推送地址不能为空"],
        [{ notify_type: "bark", bark_url: "https://{{title}}/x" }, "无效的Bark推送地址"],
        [{ notify_type: "email", notification_email: "a@b.c,d@e.f" }, "无效的邮箱地址"],
      ];
      for (const [setting, message] of bad) {
        expect(await save(client, setting)).toMatchObject({ success: false, message });
      }
      const self = async () => user.parse((await client.get("/api/user/self")).body.data).setting;
      expect(await self()).toBe("");

      const hook = { notify_type: "webhook", webhook_url: url, webhook_secret: "hidden" };
      expect((await save(client, hook)).success).toBe(true);
      const shown = {
        quota_warning_threshold: 1_000,
        notify_type: "webhook",
        events: ["quota_low"],
        webhook_url: url,
        has_webhook_secret: true,
      };
      expect(JSON.parse(await self())).toMatchObject(shown);
      expect(await self()).not.toContain("hidden");
      // A form that sends an empty secret keeps the stored one, because the user did not type it
      // again.
      expect((await save(client, { ...hook, webhook_secret: "" })).success).toBe(true);
      expect(JSON.parse(await self())).toMatchObject(shown);
      const root = await gateway.root();
      expect((await root.get(`/api/user/${client.id}`)).body.data).toMatchObject({ setting: "" });
      const rows = await gateway.db.selectFrom("notification_settings").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain("hidden");
    });
  });
}
