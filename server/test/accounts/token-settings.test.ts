import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { token, type Token } from "@tollgate/contract/endpoints/tokens.ts";
import { testDialects } from "#db/testing/database.ts";
import { bindStore } from "#db/store.ts";
import { type Answer, type Client, openTestConsole, type TestConsole } from "./open-console.ts";
import { tokenStore } from "#modules/tokens/tokens.store.ts";

for (const dialect of testDialects) {
  describe(`token settings on ${dialect}`, () => {
    let gateway: TestConsole;
    let alice: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      alice = await gateway.user("alice");
    });
    afterAll(async () => await gateway.close());

    const post = async (body: object): Promise<Answer> =>
      await alice.post("/api/token/", { name: "t", ...body });
    const create = async (body: object = {}): Promise<Token> => {
      const answer = await post(body);
      if (answer.body.success !== true) throw new Error(answer.body.message);
      return token.parse(answer.body.data);
    };
    const put = async (body: object): Promise<Answer> => await alice.put("/api/token/", body);
    const read = async (id: number): Promise<Token> =>
      token.parse((await alice.get(`/api/token/${id}`)).body.data);
    const setStatus = async (id: number, status: number): Promise<Answer> =>
      await alice.put("/api/token/?status_only=true", { id, status });
    /** Returns what the relay reads about a token. */
    const viewOf = async (id: number) => {
      const { loadTokens, openToken } = gateway.modules.tokens.snapshot;
      const [loaded] = await loadTokens([id]);
      if (loaded === undefined) throw new Error("no such token");
      const [lookup = ""] = loaded.lookups;
      return loaded.packed === "" ? undefined : openToken(loaded.packed, lookup);
    };
    /** Charges the token as a call would, by a direct write to its balance. */
    const spend = async (id: number, amount: number): Promise<void> => {
      await gateway.db
        .updateTable("token_balances")
        .set((eb) => ({ remain: eb("remain", "-", amount), used: eb("used", "+", amount) }))
        .where("token_id", "=", id)
        .execute();
    };

    test("a whole row sent back changes nothing, although its key is masked", async () => {
      const { id } = await create({
        remain_quota: 100,
        allow_ips: "10.0.0.0/8",
        model_limits: "a,b",
        model_limits_enabled: true,
        group: "vip",
      });
      const before = await read(id);
      const junk = { status: 4, user_id: 1, accessed_time: 0, username: "x", timestamp2string: "" };

      expect((await put({ ...before, ...junk })).body.data).toEqual(before);
      expect(await read(id)).toEqual(before);
    });

    test("O-286 to O-291: the extras of a token are saved, shown, and read by the relay", async () => {
      const extras = {
        deny_ips: "198.51.100.0/24\n2001:db8::1",
        rate_limit_count: 5,
        rate_limit_seconds: 30,
        rate_limit_message: "slow down",
        mj_mode: "relax",
        mj_proxy_method: "prefix",
        mj_proxy_address: "https://pictures.example/",
        mj_backup_pool: true,
        chat_links: "NextChat https://chat.example/#/?key={key}\nApp app://open?key={key}",
      };
      const { id } = await create(extras);
      expect(await read(id)).toMatchObject(extras);
      const view = await viewOf(id);
      expect(view?.deniesIp?.("198.51.100.9")).toBe(true);
      expect(view?.deniesIp?.("203.0.113.7")).toBe(false);
      expect(view?.rateLimit).toMatchObject({
        rule: { windowMs: 30_000, max: 5 },
        message: "slow down",
      });

      await put({ id, deny_ips: "", rate_limit_count: 0 });
      expect(await viewOf(id)).toMatchObject({ deniesIp: null, rateLimit: null });
    });

    test("O-286 to O-292: an invalid extra is refused, and the message names it", async () => {
      const cases: [object, string][] = [
        [{ deny_ips: "here" }, "IP 黑名单中有无效的地址：here"],
        [{ rate_limit_count: -1 }, "速率限制的次数必须是 0 到 1000000 的整数"],
        [{ rate_limit_seconds: 0 }, "速率限制的周期必须是 1 到 86400 秒的整数"],
        [{ mj_mode: "slow" }, "绘图模式无效"],
        [{ mj_proxy_method: "fetch" }, "图片代理方式无效"],
        [{ mj_proxy_address: "ftp://x" }, "图片代理地址必须以 http:// 或 https:// 开头"],
        [
          { chat_links: "Bad javascript:alert(1)" },
          "聊天配置的每一行应为“名称 地址”，名称最多 30 个字符：Bad javascript:alert(1)",
        ],
      ];
      for (const [body, message] of cases) {
        expect((await post(body)).body).toMatchObject({ success: false, message });
      }
    });

    // A partial body must never widen what a token may do.
    test("absent fields keep their values, empty ones become empty", async () => {
      const { id } = await create({
        remain_quota: 100,
        allow_ips: "10.0.0.1",
        model_limits: "a",
        model_limits_enabled: true,
        expired_time: 2_000_000_000,
      });
      const before = await read(id);
      expect((await put({ id, name: "renamed" })).body.data).toEqual({
        ...before,
        name: "renamed",
      });
      const emptied = (await put({ id, allow_ips: "", model_limits: null, group: null })).body.data;
      expect(emptied).toMatchObject({ allow_ips: "", model_limits: "", group: "" });
    });

    test("O-314: what was spent while the form was open stays spent", async () => {
      const { id } = await create({ remain_quota: 1_000 });
      const seen = await read(id);
      await spend(id, 300);

      expect((await put({ ...seen, name: "renamed" })).body.data).toMatchObject({
        remain_quota: 700,
        used_quota: 300,
      });
      expect((await put({ ...seen, remain_quota: 1_500 })).body.data).toMatchObject({
        remain_quota: 1_200,
        used_quota: 300,
      });
      // A request without `used_quota` sets what the token may still spend from now on.
      expect((await put({ id, remain_quota: 50 })).body.data).toMatchObject({ remain_quota: 50 });
      expect((await put({ ...seen, remain_quota: 0 })).body.success).toBe(false);
      expect((await put({ id, remain_quota: -1 })).body.success).toBe(false);
      expect((await put({ id, remain_quota: 0 })).body.data).toMatchObject({ remain_quota: 0 });
    });

    test("saving a quota is refused when the token's grant changed after it was read", async () => {
      const { id } = await create({ remain_quota: 100 });
      const store = bindStore(tokenStore, gateway.db);
      const by = {
        actor: { userId: alice.id, username: "alice", clientIp: "" },
        owner: alice.id,
        nowMs: gateway.clock.nowMs,
      };
      const edit = { id, settings: {}, delta: 5, granted: 99 };

      await expect(store.updateToken(edit, by)).rejects.toMatchObject({ code: "stale" });
      expect(await read(id)).toMatchObject({ remain_quota: 100 });
      expect(await store.updateToken({ ...edit, granted: 100 }, by)).toMatchObject({
        remain_quota: 105,
      });
    });

    test("O-266, O-268: names of 1 to 30 characters, quota a whole number", async () => {
      expect((await post({ name: "" })).body.message).toBe("令牌名称不能为空");
      expect((await post({ name: "字".repeat(30) })).body.success).toBe(true);
      expect((await post({ name: "字".repeat(31) })).body.message).toBe("令牌名称过长");
      for (const remain_quota of [-1, 1.5, "x", 2 ** 53, [5]]) {
        expect((await post({ remain_quota })).body.success).toBe(false);
      }
      expect((await create({ remain_quota: "500" })).remain_quota).toBe(500);
    });

    test("an expiry beyond the year 9999, or one that is no time, is refused", async () => {
      for (const expired_time of [253_402_300_800, 0, -2, 1.5, "never"]) {
        expect((await post({ expired_time })).body.success).toBe(false);
      }
      expect((await create({ expired_time: 253_402_300_799 })).expired_time).toBe(253_402_300_799);
      expect((await create({ expired_time: -1 })).expired_time).toBe(-1);
    });

    test("an unknown group is refused; a group removed later does not block other edits", async () => {
      expect((await post({ group: "nowhere" })).body.message).toContain("nowhere");
      const { id } = await create({ group: "vip" });
      gateway.groups.names = ["default"];
      expect((await put({ ...(await read(id)), name: "renamed" })).body.success).toBe(true);
      expect((await put({ id, group: "vip2" })).body.success).toBe(false);
      gateway.groups.names = ["default", "vip"];
    });

    test("an existing group is refused unless the owner may use it", async () => {
      gateway.groups.names = ["default", "vip", "staff"];
      expect((await post({ group: "staff" })).body.message).toContain("staff");
      const { id } = await create({ group: "vip" });
      expect((await put({ id, group: "staff" })).body.message).toContain("staff");
      gateway.setOptions({ UserUsableGroups: '{"staff":"for the staff"}' });
      expect((await post({ group: "staff" })).body.success).toBe(true);
      // The owner's own group is allowed without being listed.
      expect((await post({ group: "default" })).body.success).toBe(true);
      expect((await post({ group: "vip" })).body.success).toBe(false);
      gateway.setOptions({});
      gateway.groups.names = ["default", "vip"];
    });

    // O-272, O-273: if a bad line were dropped, the list could become empty, and the token would
    // work from all IPs.
    test("one bad line refuses the whole address list", async () => {
      for (const allow_ips of [
        "10.0.0.0/33",
        "10.0.0.1\nexample.com",
        "10.0.0.1\n10.1",
        "localhost",
        "::1%lo",
        "*",
      ]) {
        expect((await post({ allow_ips })).body.message).toStartWith("IP 白名单中有无效的地址");
      }
      const { id } = await create({ allow_ips: "10.0.0.1" });
      expect((await put({ id, allow_ips: "10.0.0.1\nbad" })).body.success).toBe(false);
      expect(await read(id)).toMatchObject({ allow_ips: "10.0.0.1" });
    });

    test("O-272: the relay admits the listed addresses and blocks, and nobody else", async () => {
      const { id } = await create({ allow_ips: " 203.0.113.7,\r\n10.0.0.0/8\n2001:db8::/32\n\n" });
      expect(await read(id)).toMatchObject({
        allow_ips: "203.0.113.7\n10.0.0.0/8\n2001:db8::/32",
      });
      const allows = (await viewOf(id))?.allowsIp;

      for (const address of ["203.0.113.7", "10.255.0.1", "::ffff:10.0.0.1", "2001:db8::9"]) {
        expect([address, allows?.(address)]).toEqual([address, true]);
      }
      for (const address of [
        "203.0.113.8",
        "11.0.0.1",
        "::ffff:11.0.0.1",
        "2001:db9::9",
        "",
        "x",
      ]) {
        expect([address, allows?.(address)]).toEqual([address, false]);
      }
      expect((await viewOf((await create()).id))?.allowsIp).toBeNull();
    });

    test("O-271, O-316: model limits count when enabled; enabled and empty allows no model", async () => {
      const { id } = await create({ model_limits: "gpt-4o, claude,,gpt-4o" });
      expect(await read(id)).toMatchObject({ model_limits: "gpt-4o,claude" });
      expect((await viewOf(id))?.modelLimits).toBeNull();
      await put({ id, model_limits_enabled: true });
      expect((await viewOf(id))?.modelLimits).toEqual(new Set(["gpt-4o", "claude"]));
      await put({ id, model_limits: "" });
      expect((await viewOf(id))?.modelLimits).toEqual(new Set());
      expect((await post({ model_limits: "a\u0000b" })).body.success).toBe(false);
      expect((await post({ model_limits: "x".repeat(256) })).body.success).toBe(false);
    });

    test("the relay's view of a token matches its row, and a deleted token has none", async () => {
      const { id, key } = await create({ unlimited_quota: true, group: "vip" });

      expect(await viewOf(id)).toMatchObject({
        id,
        userId: alice.id,
        name: "t",
        masked: `sk-${key.slice(0, 3)}***${key.slice(-3)}`,
        status: 1,
        expiredTime: -1,
        unlimitedQuota: true,
        group: "vip",
      });
      await alice.delete(`/api/token/${id}`);
      expect(await viewOf(id)).toBeUndefined();
    });

    test("O-323, O-324, O-336: status_only switches between 1 and 2 and changes nothing else", async () => {
      const { id } = await create({ remain_quota: 10, allow_ips: "10.0.0.1" });
      const before = await read(id);

      const off = await setStatus(id, 2);
      expect(off.body.data).toEqual({ ...before, status: 2 });
      const extra = { id, status: 1, name: "x", allow_ips: "" };
      const on = await alice.put("/api/token/?status_only=yes", extra);
      expect(on.body.data).toEqual(before);
      for (const status of [0, 3, 4, 5]) {
        expect((await setStatus(id, status)).body.success).toBe(false);
      }
    });

    test("O-321 O-322: a token is shown as expired or exhausted from that moment on, without a call", async () => {
      const seconds = Math.floor(gateway.clock.nowMs / 1_000);
      const brief = await create({ expired_time: seconds + 60, unlimited_quota: true });
      const small = await create({ remain_quota: 10 });
      const off = await create({ remain_quota: 10 });
      await setStatus(off.id, 2);
      const listed = async (id: number) => {
        const list = token.array().parse((await alice.get("/api/token/?p=0&size=100")).body.data);
        return [list.find((each) => each.id === id)?.status, (await read(id)).status];
      };
      expect([await listed(brief.id), await listed(small.id)]).toEqual([
        [1, 1],
        [1, 1],
      ]);
      gateway.clock.nowMs += 60_000;
      await spend(small.id, 10);
      await spend(off.id, 10);
      expect(await listed(brief.id)).toEqual([3, 3]);
      expect(await listed(small.id)).toEqual([4, 4]);
      expect(await listed(off.id)).toEqual([2, 2]);
    });

    test("an expired or exhausted token can be enabled only after that is mended", async () => {
      const seconds = Math.floor(gateway.clock.nowMs / 1_000);
      const store = bindStore(tokenStore, gateway.db);
      const { id } = await create({ remain_quota: 10, expired_time: seconds + 60 });
      expect(await store.markToken(id, { status: 3, needed: 1 }, gateway.clock.nowMs)).toBe(false);
      gateway.clock.nowMs += 60_000;
      expect(await store.markToken(id, { status: 3, needed: 1 }, gateway.clock.nowMs)).toBe(true);
      expect(await read(id)).toMatchObject({ status: 3 });

      expect((await setStatus(id, 1)).body.message).toBe(
        "令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期",
      );
      await put({ id, expired_time: -1 });
      expect((await setStatus(id, 1)).body.data).toMatchObject({ status: 1 });

      expect(await store.markToken(id, { status: 4, needed: 1 }, gateway.clock.nowMs)).toBe(false);
      await spend(id, 10);
      expect(await store.markToken(id, { status: 4, needed: 1 }, gateway.clock.nowMs)).toBe(true);
      expect((await setStatus(id, 1)).body.message).toBe(
        "令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度",
      );
      await put({ id, unlimited_quota: true });
      expect((await setStatus(id, 1)).body.data).toMatchObject({ status: 1 });
    });

    test("the relay's bookkeeping does not enable a token that was disabled by hand", async () => {
      const { id } = await create({ remain_quota: 0 });
      await setStatus(id, 2);
      const store = bindStore(tokenStore, gateway.db);
      expect(await store.markToken(id, { status: 4, needed: 1 }, gateway.clock.nowMs)).toBe(false);
      expect(await read(id)).toMatchObject({ status: 2 });
    });

    test("the time of last use moves forward only", async () => {
      const { id, accessed_time } = await create();
      const { touchTokens } = bindStore(tokenStore, gateway.db);
      await touchTokens([{ id, accessed_time: accessed_time + 5 }]);
      await touchTokens([{ id, accessed_time: accessed_time + 2 }]);
      expect(await read(id)).toMatchObject({ accessed_time: accessed_time + 5 });
    });
  });
}
