import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type Installation, openInstallation } from "#test/proof/installation.ts";
import { chat } from "#test/proof/chat-call.ts";
import { type Answer, type OneApiConsole, openPages, type Page } from "./one-api-console.ts";
import * as shapes from "./shapes.ts";

type Token = z.infer<typeof shapes.token>;
type Channel = z.infer<typeof shapes.channel>;

const { answered, expectShape, pageOf } = shapes;
const said = ({ status, body: { success, message } }: Answer) => [status, success, message];
const done = [200, true, ""];
const total = { total: z.int().min(0) };

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const model = { name: "contract", script: { promptTokens: 17, events: 20 }, ratio: 1 };

for (const dialect of testDialects) {
  describe(`tokens, channels and logs in the console API on ${dialect}`, () => {
    let place: Installation;
    let root: Page;
    let alice: Page;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [model], channel: { name: "main" } });
      const site: Omit<OneApiConsole, "close" | "gateway"> = await openPages(place.origin);
      ({ root } = site);
      alice = await site.user("alice");
      await root.data("PUT", "/api/user/", { id: alice.userId, quota_delta: 1_000_000 });
    });
    afterAll(async () => await place.close());

    const settings = {
      remain_quota: "500000",
      expired_time: -1,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: "",
      allow_ips: "",
      group: "",
    };
    const addToken = async (name: string, part: object = {}): Promise<Token> =>
      await alice.data("POST", "/api/token/", { ...settings, name, ...part });
    const readToken = async (id: number): Promise<Token> =>
      await alice.data("GET", `/api/token/${id}`);

    test("A-003, A-009: tokens have every key in lists, searches, single reads and answers to writes", async () => {
      const { body } = await alice.post("/api/token/", { ...settings, name: "laptop" });
      expectShape(answered(shapes.createdToken), body);
      const { id } = await addToken("phone");
      const rows = answered(z.array(shapes.token), total);
      for (const path of ["/api/token/?p=0&size=10", "/api/token/search?keyword=&token="]) {
        expectShape(rows, (await alice.get(path)).body);
      }
      for (const path of ["/api/token/query?p=0&size=10", "/api/token/newSearch?keyword=&token="]) {
        expectShape(rows, (await alice.get(path)).body);
        expectShape(
          answered(z.array(shapes.namedToken).min(2), total),
          (await root.get(path)).body,
        );
      }
      for (const path of [`/api/token/${id}`, `/api/token/${id}/`]) {
        expectShape(answered(shapes.token), (await alice.get(path)).body);
      }
      expectShape(answered(shapes.namedToken), (await root.get(`/api/token/new/${id}/`)).body);
      const second = await alice.data<Token[]>("GET", "/api/token/?p=1&size=1");
      expect(second.map(({ name }) => name)).toEqual(["laptop"]);
    });

    test("A-010: the copy button gets the whole key, by POST only", async () => {
      const { id } = await addToken("copied");
      const whole = answered(z.strictObject({ key: z.string().length(48) }));
      expectShape(whole, (await alice.post(`/api/token/${id}/key`)).body);
      expect((await alice.get(`/api/token/${id}/key`)).status).toBe(404);
    });

    test("a token's row sent back saves the changed fields; status_only takes any value", async () => {
      const made = await addToken("edited");
      const before = await readToken(made.id);
      const renamed = await alice.put("/api/token/", { ...before, name: "renamed" });
      expectShape(answered(shapes.token), renamed.body);
      expect(await readToken(made.id)).toEqual({ ...before, name: "renamed" });
      for (const [flag, status] of [
        ["true", 2],
        ["1", 1],
      ] as const) {
        const answer = await alice.put(`/api/token/?status_only=${flag}`, { id: made.id, status });
        expectShape(answered(shapes.token), answer.body);
        expect(await readToken(made.id)).toMatchObject({ name: "renamed", status });
      }
      expect(said(await alice.put("/api/token/", { ...before, name: "x".repeat(31) }))).toEqual([
        200,
        false,
        "令牌名称过长",
      ]);
      expect((await alice.delete(`/api/token/${made.id}/`)).body).toEqual({
        success: true,
        message: "",
      });
      expect(said(await alice.get(`/api/token/${made.id}`))[1]).toBe(false);
    });

    test("an exhausted token stays so when quota is added, until it is enabled by hand", async () => {
      const { id } = await addToken("spent", { remain_quota: 25 });
      const { key } = await alice.data<{ key: string }>("POST", `/api/token/${id}/key`);
      const call = async (): Promise<number> =>
        (await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: false })).status;
      expect(await call()).toBe(403);
      await alice.data("PUT", "/api/token/", { ...(await readToken(id)), remain_quota: 0 });
      expect(await call()).toBe(401);
      while ((await readToken(id)).status !== 4) await Bun.sleep(50);

      const enable = async () =>
        said(await alice.put("/api/token/?status_only=true", { id, status: 1 }));
      expect(await enable()).toEqual([
        200,
        false,
        "令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度",
      ]);
      await alice.data("PUT", "/api/token/", { ...(await readToken(id)), remain_quota: 1_000_000 });
      expect((await readToken(id)).status).toBe(4);
      expect(await call()).toBe(401);
      expect(await enable()).toEqual(done);
      expect(await call()).toBe(200);
    });

    test("A-022, A-272: channels have every key, an empty `key`, and lists are arrays", async () => {
      const rows = answered(z.array(shapes.channel).min(1), total);
      const asked = "keyword=main&group=null&model=&id_sort=true&tag_mode=false";
      for (const path of [
        "/api/channel/?p=0&page_size=10&id_sort=false&tag_mode=false",
        `/api/channel/search?${asked}`,
        `/api/channel/new/search?${asked}&status=&key=`,
      ]) {
        expectShape(rows, (await root.get(path)).body);
      }
      expectShape(
        answered(shapes.channel),
        (await root.get(`/api/channel/${place.channelId}/`)).body,
      );
      for (const path of ["/api/channel/modelNames", "/api/channel/models_unpriced"]) {
        expectShape(answered(z.array(z.string())), (await root.get(path)).body);
      }
      expectShape(
        answered(z.array(z.looseObject({ id: z.string() })).min(1)),
        (await root.get("/api/channel/models")).body,
      );
      expect((await root.get("/api/channel/?p=1&page_size=10")).body["data"]).toEqual([]);
    });

    test("a channel's PUT takes a part, a zero and the whole row, and answers the row", async () => {
      const id = place.channelId;
      const read = async (): Promise<Channel> => await root.data("GET", `/api/channel/${id}`);
      const before = await read();
      const answer = await root.put("/api/channel/", { id, priority: 5 });
      expectShape(answered(shapes.channel), answer.body);
      expect(await read()).toEqual({ ...before, priority: 5 });
      const row = { ...(await read()), priority: 0, key: "", children: [], timestamp2string: "x" };
      expect(said(await root.put("/api/channel/", row))).toEqual(done);
      expect(await read()).toEqual(before);
    });

    test("a channel can be created with `group` or `groups`, several with several keys, and copied", async () => {
      const row = {
        type: 1,
        key: "sk-one\nsk-two\n\nsk-three",
        base_url: place.demo.url,
        models: "made",
        groups: ["default", "vip"],
        mode: "batch",
        max_input_tokens: 0,
      };
      expect(said(await root.post("/api/channel/", { ...row, name: "three" }))).toEqual(done);
      const find = async (name: string) =>
        (await root.data<Channel[]>("GET", `/api/channel/search?keyword=${name}`)).filter(
          (one) => one.name === name,
        );
      const [first, ...others] = await find("three");
      expect(others).toHaveLength(2);
      if (first === undefined) throw new Error("no channel was made");
      expect(first.group).toBe("default,vip");

      const { id: _, ...copied } = first;
      const copy = { ...copied, name: "three_复制", created_time: null, balance: 0, used_quota: 0 };
      expect(said(await root.post("/api/channel/", { ...copy, key: String(first.id) }))).toEqual(
        done,
      );
      expect(await find("three_复制")).toMatchObject([{ key_hints: first.key_hints }]);
      expect(await root.data("POST", "/api/channel/batch", { ids: [first.id] })).toBe(1);
      expect(await root.data<string[]>("GET", "/api/channel/models_enabled")).toContain("made");
    });

    test("a channel test answers its seconds beside data, also when it fails", async () => {
      const time = z.number().min(0).max(60);
      const path = `/api/channel/test/${place.channelId}`;
      const tested = await root.get(`${path}?model=`);
      expectShape(
        z.strictObject({ success: z.literal(true), message: z.literal(""), time }),
        tested.body,
      );
      const failed = await root.get(`${path}/?model=nobody-knows-it`);
      expectShape(
        z.strictObject({ success: z.literal(false), message: z.string().min(1), time }),
        failed.body,
      );
    });

    test("A-001, A-013, A-024, A-250, A-274, A-331: a call is in the lists of every role with all keys", async () => {
      const { id } = await addToken("logged", { unlimited_quota: true });
      const { key } = await alice.data<{ key: string }>("POST", `/api/token/${id}/key`);
      const console = await fetch(`${place.origin}/`);
      expect(console.headers.get("content-type")).toStartWith("text/html");
      type Self = { readonly quota: number; readonly used_quota: number };
      const before = await alice.data<Self>("GET", "/api/user/self");
      const answer = await chat(place.origin, {
        key: `sk-${key}`,
        model: model.name,
        stream: false,
      });
      expect([answer.status, answer.headers.get("x-oneapi-request-id")]).toEqual([
        200,
        expect.stringMatching(/^\d{14}\S{8,}$/),
      ]);
      expect(await alice.data("GET", "/api/user/self")).toMatchObject({
        quota: before.quota - 37,
        used_quota: before.used_quota + 37,
        request_count: expect.any(Number),
      });
      const asked = "p=1&page_size=10&type=2&token_name=logged&model_name=contract&group=default";
      const lists = [
        [alice, `/api/log/self/?${asked}`, shapes.ownLog],
        [root, `/api/log/?${asked}&username=alice&channel=${place.channelId}`, shapes.log],
        [root, `/api/log/new/?${asked}&username=alice&key=sk-${key}`, shapes.log],
      ] as const;
      for (const [page, path, shape] of lists) {
        const { body } = await page.get(path);
        expectShape(answered(pageOf(shape)), body);
        expect(body.data).toMatchObject({
          total: 1,
          items: [{ quota: 37, model_name: "contract" }],
        });
      }
      const { body } = await alice.get(lists[0][1]);
      expect(JSON.stringify(body)).not.toContain("admin_info");
      for (const [page, path] of [
        [alice, "/api/log/self/stat"],
        [root, "/api/log/stat"],
        [root, `/api/log/new/stat`],
      ] as const) {
        expectShape(answered(shapes.logStat), (await page.get(`${path}?${asked}`)).body);
      }
      const own = await alice.get(`/api/log/token?key=sk-${key}`);
      expectShape(answered(z.array(shapes.ownLog).length(1), total), own.body);
      const users = await root.data<{ items: object[] }>("GET", "/api/user/search?keyword=alice");
      expect(users.items).toMatchObject([{ one_day: expect.any(Number), one_day_ratio: 1 }]);
      // In `other`, consoles parse the details of a call. Log rows of other events leave it empty.
      const notes = await root.data<{ items: { other: string }[] }>("GET", "/api/log/?type=3");
      expect(notes.items.every(({ other }) => other === "")).toBe(true);
    });

    test("A-277 to A-280: logs are found by user, channel and key; by key only by root", async () => {
      const { key } = await addToken("found", { unlimited_quota: true });
      const call = await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: true });
      expect(call.status).toBe(200);
      type Found = { readonly items: readonly { token_name: string }[]; readonly total: number };
      const names = async (page: Page, path: string): Promise<string[]> => {
        const { items } = await page.data<Found>("GET", path);
        return [...new Set(items.map(({ token_name }) => token_name))].toSorted();
      };
      const ofUser = await names(root, "/api/log/?type=2&username=alice");
      expect(ofUser).toContain("found");
      expect(await names(root, "/api/log/?type=2&username=nobody")).toEqual([]);
      const { channelId } = place;
      expect(await names(root, `/api/log/?username=alice&type=2&channel=${channelId}`)).toEqual(
        ofUser,
      );
      expect(await names(root, `/api/log/?type=2&channel=${channelId + 999}`)).toEqual([]);
      for (const written of [key, `sk-${key}`]) {
        expect(await names(root, `/api/log/new/?key=${written}`)).toEqual(["found"]);
        // Unlike the list by key, the log of an admin and a user's own log ignore the filter by
        // key.
        expect(await names(root, `/api/log/?type=2&username=alice&key=${written}`)).toEqual(ofUser);
        expect(await names(alice, `/api/log/self/?type=2&key=${written}`)).toEqual(ofUser);
      }
      expect(await names(alice, "/api/log/self/?type=2&username=root&channel=999")).toEqual(ofUser);
    });

    test("O-575 O-576 O-579: the dashboard sums what the log lists, for a user and for all", async () => {
      const { key } = await addToken("summed", { unlimited_quota: true });
      const call = await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: false });
      expect(call.status).toBe(200);
      const hour = 3_600;
      const now = Math.floor(Date.now() / 1_000);
      const span = `start_timestamp=${now - (now % hour) - hour}&end_timestamp=${now + 60}`;
      type Log = { readonly items: readonly { readonly quota: number }[]; readonly total: number };
      type Whole = { readonly totals: { readonly quota: number; readonly calls: number } };
      type Row = { readonly quota: number; readonly count: number };
      for (const [page, log, dashboard, data] of [
        [alice, "/api/log/self/", "/api/dashboard/self", "/api/data/self/"],
        [root, "/api/log/", "/api/dashboard/", "/api/data/"],
      ] as const) {
        const listed = await page.data<Log>("GET", `${log}?type=2&page_size=100&${span}`);
        expect(listed.total).toBe(listed.items.length);
        const quota = listed.items.reduce((sum, row) => sum + row.quota, 0);
        expect(quota).toBeGreaterThanOrEqual(37);
        const { totals } = await page.data<Whole>("GET", `${dashboard}?${span}`);
        expect(totals).toMatchObject({ quota, calls: listed.total });
        const answer = await page.get(`${data}?${span}&default_time=hour`);
        expectShape(answered(z.array(shapes.quotaData).min(1)), answer.body);
        const rows = await page.data<Row[]>("GET", `${data}?${span}&default_time=hour`);
        expect(rows.reduce((sum, row) => sum + row.quota, 0)).toBe(quota);
        expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(listed.total);
      }
    });

    test("A-416, A-417, A-291: groups are names, models a map by type, prices rows of numbers", async () => {
      expect((await root.get("/api/group/")).body["data"]).toEqual(["default", "svip", "vip"]);
      const types = z.record(z.string().regex(/^\d+$/), z.array(z.string()).min(1));
      expectShape(answered(types), (await alice.get("/api/models")).body);
      const priced = z.looseObject({
        success: z.literal(true),
        data: z.array(shapes.pricingRow).min(1),
        group_ratio: z.record(z.string(), z.number()),
        usable_group: z.record(z.string(), z.string()),
      });
      await root.data("PUT", "/api/option/", {
        key: "UserUsableGroups",
        value: '{"vip":"friends"}',
      });
      const visitor = await fetch(`${place.origin}/api/pricing`);
      const body: unknown = await visitor.json();
      expectShape(priced, body);
      expect(body).toMatchObject({
        group_ratio: { default: 1, vip: 1 },
        usable_group: { default: "用户分组", vip: "friends" },
      });
      expect(priced.parse(body).data).toContainEqual({
        model_name: model.name,
        quota_type: 0,
        model_ratio: 1,
        model_price: 0,
        owner_by: "",
        completion_ratio: 1,
        enable_groups: ["default"],
      });
    });

    test("O-394: rows of a token are found by every name it has had, over all users", async () => {
      const { id } = await addToken("before-rename", { unlimited_quota: true });
      const { key } = await alice.data<{ key: string }>("POST", `/api/token/${id}/key`);
      const call = async () =>
        await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: false });
      await call();
      await alice.put("/api/token/", { ...(await readToken(id)), name: "after-rename" });
      await call();

      type Found = { readonly items: readonly { token_name: string }[]; readonly total: number };
      for (const [name, total] of [
        ["before-rename", 1],
        ["after-rename", 1],
        ["never-a-name", 0],
      ] as const) {
        const found = await root.data<Found>("GET", `/api/log/?type=2&token_name=${name}`);
        expect([found.total, found.items.length]).toEqual([total, total]);
        const sums = await root.data<{ quota: number }>("GET", `/api/log/stat?token_name=${name}`);
        expect(sums.quota).toBe(37 * total);
      }
    });

    test("A-421: log cleaning needs a time and answers how many rows it removed", async () => {
      expect(said(await root.delete("/api/log/?target_timestamp=NaN"))).toEqual([
        200,
        false,
        "target timestamp is required",
      ]);
      const later = Math.floor(Date.now() / 1_000) + 60;
      const { body } = await root.delete(`/api/log/?target_timestamp=${later}`);
      expectShape(answered(z.int().min(1)), body);
      expect((await root.get("/api/log/?type=2")).body["data"]).toMatchObject({ total: 0 });
    });
  });
}
