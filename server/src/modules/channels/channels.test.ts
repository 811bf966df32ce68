import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { admin, basic, now, openGateway } from "./testing/channels.ts";

for (const dialect of testDialects) {
  describe(`channels on ${dialect}`, () => {
    test("O-176 P-S1: no answer, table or audit entry holds a key in plain text", async () => {
      const { db, call, create, close } = await openGateway(dialect);
      const marker = "sk-canary-0123456789-end";
      const id = await create({ key: marker, tag: "t" });

      const answers = [
        await call(contract.readChannel, { id }),
        await call(contract.listChannels, {}),
        await call(contract.listChannels, { tag_mode: "true" }),
        await call(contract.searchChannels, { keyword: marker }),
        await call(contract.searchNewChannels, { key: marker, model: "gpt" }),
        await call(contract.updateChannel, { id, key: `${marker}2` }),
      ];
      const stored = [
        await db.selectFrom("channels").selectAll().execute(),
        await db.selectFrom("channel_keys").selectAll().execute(),
        await db.selectFrom("audit_log").selectAll().execute(),
      ];
      for (const page of answers.slice(1, 5)) expect(page).toMatchObject({ data: [{ id }] });
      expect(answers[0]).toMatchObject({ key: "", key_count: 1, key_hints: ["sk-c••••-end"] });
      expect(JSON.stringify([answers, stored])).not.toContain("canary");
      await close();
    });

    test("O-137 O-138: one channel per line or JSON document; `keys` share a channel", async () => {
      const { call, open, close } = await openGateway(dialect);
      const document = '{\n  "project_id": "p",\n  "private_key": "k"\n}';
      const created = async (fields: object) =>
        await call(contract.createChannel, { ...basic, ...fields });

      expect(await created({ key: " one \n\ntwo\r\nthree\none" })).toEqual([1, 2, 3]);
      expect(await created({ key: document })).toEqual([4]);
      expect(await created({ key: `six\n${document}` })).toEqual([5, 6]);
      expect(await created({ key: "", keys: ["four", " five ", ""] })).toEqual([7]);
      const { views } = await open();
      expect([...views.values()].map(({ keys }) => keys)).toEqual([
        ["one"],
        ["two"],
        ["three"],
        [document],
        ["six"],
        [document],
        ["four", "five"],
      ]);
      await close();
    });

    test("groups and models that stand alike are one line, those not served first", async () => {
      const { create, call, world, close } = await openGateway(dialect);
      const id = await create();
      const part = (group: string, model: string, kind: "cooldown" | "no-price" | "used") => ({
        group,
        model,
        kind,
        share: kind === "used" ? 0.5 : 0,
        untilMs: kind === "cooldown" ? 1800000030400 : 0,
      });
      world.standing = {
        state: "on",
        parts: [
          ...["a", "b"].map((group) => part(group, "m1", "used")),
          ...["a", "b"].map((group) => part(group, "m2", "used")),
          part("a", "m3", "cooldown"),
          part("a", "m4", "no-price"),
        ],
      };
      const line = { groups: ["a"], model_count: 1, share: 0, until: 0 };
      expect(await call(contract.readChannelStanding, { id })).toEqual({
        state: "on",
        status: 1,
        other_info: "",
        lines: [
          { ...line, kind: "no-price", models: ["m4"] },
          { ...line, kind: "cooldown", models: ["m3"], until: 1_800_000_030 },
          {
            ...line,
            kind: "used",
            groups: ["a", "b"],
            models: ["m1", "m2"],
            model_count: 2,
            share: 0.5,
          },
        ],
      });
      await expect(call(contract.readChannelStanding, { id: 99 })).rejects.toMatchObject({
        code: "not-found",
      });
      await close();
    });

    test("O-132 O-134: a channel needs a name, a key, models and a known type", async () => {
      const { db, call, close } = await openGateway(dialect);
      for (const [broken, rule] of [
        [{ name: " " }, "请填写渠道名称和渠道密钥！"],
        [{ key: "\n" }, "请填写渠道名称和渠道密钥！"],
        [{ key: 'sk-a\n{"client_email": "a",' }, "第 2 行的 JSON 密钥不完整或不合法"],
        [{ key: "a\u0007b" }, "渠道密钥过长或含有控制字符"],
        [{ models: " , " }, "请至少选择一个模型！"],
        [{ models: "m".repeat(256) }, "模型名称过长: "],
        [{ type: 9_999 }, "不支持的渠道类型"],
        [{ type: 0 }, "请选择渠道类型！"],
        [{ type: "openai" }, "渠道类型无效"],
        [{ group: " , " }, "请至少选择一个分组！"],
        [{ groups: [] }, "请至少选择一个分组！"],
        [{ groups: "default" }, "无效的参数：groups"],
        [{ group: ["default"] }, "无效的参数：group"],
        [{ type: 8 }, "该渠道类型必须填写 API 地址"],
        [{ type: 41 }, "部署地区不能为空"],
        [{ type: 41, other: " " }, "部署地区不能为空"],
        [{ type: 41, other: '{"m1":"us-east5"}' }, "部署地区必须包含default字段"],
        [{ type: 41, other: '{"default":7}' }, "部署地区必须是一个地区"],
        [{ type: 41, other: "{us-east5" }, "部署地区必须是一个地区"],
        [{ type: 41, other: "evil.example/" }, "部署地区必须是一个地区"],
        [{ priority: "1.5" }, "优先级必须是整数！"],
        [{ model_mapping: "{" }, "模型映射必须是合法的 JSON 格式！"],
        [{ model_mapping: '{"a":1}' }, "模型映射必须是合法的 JSON 格式！"],
        [{ status_code_mapping: '{"200":"500"}' }, "状态码复写必须是合法的 JSON 格式！"],
        [{ param_override: '{"model":"other"}' }, "参数覆盖不能包含 model"],
        [{ setting: '{"force_format":true' }, "渠道额外设置必须是合法的 JSON 格式！"],
        [{ setting: "[]" }, "渠道额外设置必须是合法的 JSON 格式！"],
        [{ setting: '{"header_override":{"Host":"x"}}' }, "请求头无效，或不能覆盖"],
        [{ setting: '{"force_format":"yes"}' }, "渠道额外设置中 force_format 的值无效"],
        [{ setting: '{"proxy":"ftp://proxy.test"}' }, "代理地址必须以 http://"],
        [{ setting: '{"wire":"morse"}' }, "该渠道类型不支持格式 morse"],
      ] as const) {
        await expect(call(contract.createChannel, { ...basic, ...broken })).rejects.toThrow(rule);
      }
      expect(await db.selectFrom("channels").select("id").execute()).toEqual([]);
      await close();
    });

    test("W7: a channel without TLS needs its keys anew before another proxy reads them", async () => {
      const { call, create, read, close } = await openGateway(dialect);
      const proxy = (host: string) => JSON.stringify({ proxy: `http://${host}:3128` });
      const plain = await create({ base_url: "http://plain.example", setting: proxy("one") });
      const secure = await create({ base_url: "https://secure.example" });
      const update = contract.updateChannel;

      await expect(call(update, { id: plain, setting: proxy("two") })).rejects.toMatchObject({
        message: "API 地址不是 https 时，更换代理必须重新填写密钥",
        field: "key",
      });
      await call(update, { id: plain, setting: `{"connectMs":900,${proxy("one").slice(1)}` });
      await call(update, { id: plain, setting: proxy("two"), key: "sk-again" });
      await call(update, { id: secure, setting: proxy("two") });
      expect((await read(secure)).setting).toBe(proxy("two"));
      await close();
    });

    test("settings that are unknown are kept and named in a warning", async () => {
      const { db, call, create, read, close } = await openGateway(dialect);
      const id = await create({});
      const save = async (setting: object) => {
        const sent = { id, setting: JSON.stringify(setting) };
        return [await call(contract.updateChannel, sent), (await read(id)).setting] as const;
      };
      const proxy = "socks5://user:secret-of-proxy@proxy.test:1080";
      const family = { force_format: true, thinking_to_content: true, proxy };
      const [answer, stored] = await save(family);
      expect(answer).toMatchObject({ id, setting: JSON.stringify(family) });
      expect(stored).toBe(JSON.stringify(family));
      expect(await save({ affinity: 1, connectMs: 900, force_format: false })).toMatchObject([
        { message: "已保存，但以下设置未知，不起作用：affinity" },
        '{"affinity":1,"connectMs":900,"force_format":false}',
      ]);
      const both = { affinity: 1, region: "eu" };
      expect((await save(both))[0]).toMatchObject({
        message: "已保存，但以下设置未知，不起作用：affinity, region",
      });
      // A message about settings without effect is only returned when the setting is saved, not
      // when another field is.
      expect(await call(contract.updateChannel, { id, priority: 3 })).not.toHaveProperty("message");
      const created = await call(contract.createChannel, {
        ...basic,
        setting: JSON.stringify(both),
      });
      expect(created).toMatchObject({ data: [2], message: expect.stringContaining("affinity") });
      const audit = JSON.stringify(await db.selectFrom("audit_log").selectAll().execute());
      expect(audit).toContain("proxy.test");
      expect(audit).not.toContain("secret-of-proxy");
      await close();
    });

    test("P-N1 P-N2: a base URL may only point to public or allowed networks", async () => {
      const { call, create, read, close } = await openGateway(dialect);
      for (const base_url of [
        "http://127.0.0.1:8080",
        "http://localhost",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254",
        "ftp://api.example.com",
        "https://user@api.example.com",
        "api.example.com",
      ]) {
        const made = call(contract.createChannel, { ...basic, base_url });
        await expect(made).rejects.toMatchObject({ code: "invalid-input" });
      }
      // The region names the host, so an address of the channel's own needs none.
      await create({ type: 41, base_url: "https://private.example" });
      const id = await create({ base_url: "http://10.1.2.3:9000/v1//" });
      expect((await read(id)).base_url).toBe("http://10.1.2.3:9000/v1");
      await close();
    });

    test("O-217 O-218: an edit changes only the fields that were sent", async () => {
      const { call, create, read, close } = await openGateway(dialect);
      const id = await create({ priority: 5, weight: 3, model_mapping: '{"a":"b"}', tag: "t" });
      const before = await read(id);
      const edit = async (fields: object) => await call(contract.updateChannel, { id, ...fields });

      await edit({ status: 2 });
      expect(await read(id)).toEqual({ ...before, status: 2 });
      // Consoles save a channel by sending back its whole row, with columns that an edit must
      // ignore.
      await edit({ ...before, created_time: 1, used_quota: 9, balance: 9, other_info: "{}" });
      expect(await read(id)).toEqual(before);
      await edit({ name: "", key: "", models: "", group: "", other: "", type: 0, status: 0 });
      expect(await read(id)).toEqual(before);
      await edit({ priority: 0, weight: "-5", model_mapping: "", tag: null, auto_ban: 0 });
      expect(await read(id)).toEqual({
        ...before,
        priority: 0,
        weight: 0,
        model_mapping: "",
        tag: null,
        auto_ban: 0,
      });
      await close();
    });

    test("O-654: editing, removing or testing a removed channel is refused", async () => {
      const { call, close } = await openGateway(dialect);
      for (const endpoint of [
        contract.updateChannel,
        contract.removeChannel,
        contract.readChannel,
        probes.testChannel,
        probes.fetchModels,
      ]) {
        await expect(call(endpoint, { id: 9, model: "" })).rejects.toThrow(
          "渠道未找到，请刷新页面后重试。",
        );
      }
      await close();
    });

    test("P-S4: a key is sent only to the server it was entered for", async () => {
      const { call, create, open, close } = await openGateway(dialect);
      const id = await create({ base_url: "https://one.example/v1", key: "k1" });
      const edit = async (fields: object) => await call(contract.updateChannel, { id, ...fields });
      const keys = async () => (await open()).views.get(id)?.keys;

      for (const base_url of [
        "https://two.example/v1",
        "http://one.example/v1",
        "https://one.example:8443/v1",
        "",
      ]) {
        await expect(edit({ base_url })).rejects.toThrow("更换 API 地址或类型时必须重新填写密钥");
      }
      expect(await keys()).toEqual(["k1"]);
      await edit({ base_url: "https://one.example/v2" });
      expect(await keys()).toEqual(["k1"]);
      await edit({ base_url: "https://two.example", key: "k2" });
      expect(await keys()).toEqual(["k2"]);
      await close();
    });

    test("a key stays when the provider's own address is entered or left empty again", async () => {
      const { call, create, open, close } = await openGateway(dialect);
      const id = await create({ key: "k1" });

      for (const base_url of ["https://api.openai.com/v1", ""]) {
        await call(contract.updateChannel, { id, base_url });
        expect((await open()).views.get(id)?.keys).toEqual(["k1"]);
      }
      await expect(call(contract.updateChannel, { id, type: 43 })).rejects.toThrow("重新填写密钥");
      await close();
    });

    // A key is sealed for one server, so that not even somebody who can write to the database can
    // have it sent to another.
    test("P-S2: a key stays sealed if the database points it to another server", async () => {
      const { db, create, open, close } = await openGateway(dialect);
      const own = await create({ key: "secret", base_url: "https://one.example" });
      const other = await create({ key: "theirs", base_url: "https://evil.example" });
      await db.updateTable("channels").set({ base_url: "https://evil.example" }).execute();
      await db
        .updateTable("channel_keys")
        .set({ channel_id: other })
        .where("channel_id", "=", own)
        .execute();

      const { views, left } = await open();
      expect([...views.values()].flatMap(({ keys }) => keys)).not.toContain("secret");
      expect(left.map(([id]) => id)).toEqual([other]);
      await close();
    });

    test("a save is refused if the channel's server has changed since it was read", async () => {
      const { store, create, close } = await openGateway(dialect);
      const id = await create({ base_url: "https://one.example" });
      const update = { id, set: { name: "x" }, keys: null, actor: admin, nowMs: now * 1_000 };

      const seen = { type: 1, base_url: "https://zero.example" };
      await expect(store.updateChannel({ ...update, seen })).rejects.toMatchObject({
        code: "stale",
      });
      await close();
    });

    test("O-214 to O-216: a copy gets its source's keys, also from older consoles", async () => {
      const { db, call, create, open, close } = await openGateway(dialect);
      const id = await create({ keys: ["k1", "k2"] });
      await db.updateTable("channels").set({ balance: 7, test_time: 5 }).execute();
      const old = { ...basic, name: "main_复制", created_time: null };

      const copies = [
        await create({ ...old, key: String(id) }),
        await create({ ...old, key: "" }),
        await create({ name: "any", key: "", copy_from: id }),
      ];
      const { views } = await open();
      for (const copy of copies) {
        expect(views.get(copy)?.keys).toEqual(["k1", "k2"]);
        expect(await call(contract.readChannel, { id: copy })).toMatchObject({
          balance: 0,
          used_quota: 0,
          test_time: 0,
          created_time: now,
        });
      }
      const elsewhere = { ...basic, key: "", copy_from: id, base_url: "https://evil.example" };
      await expect(call(contract.createChannel, elsewhere)).rejects.toThrow("重新填写密钥");
      await expect(
        call(contract.createChannel, { ...old, name: "unknown_复制", key: "" }),
      ).rejects.toThrow("源渠道不存在");
      await close();
    });

    test("O-199 O-226 O-227: a removal returns the count and removes the keys too", async () => {
      const { db, call, create, close } = await openGateway(dialect);
      await create({ key: "1\n2\n3\n4\n5" });
      await call(contract.updateChannel, { id: 1, status: 2 });
      await db.updateTable("channels").set({ status: 3 }).where("id", "=", 2).execute();

      expect(await call(contract.removeDisabledChannels, {})).toBe(2);
      await call(contract.removeChannel, { id: 3 });
      expect(await call(contract.removeChannels, { ids: [4, 99] })).toBe(1);
      await expect(call(contract.removeChannels, { ids: [] })).rejects.toThrow("参数错误");
      const left = await db.selectFrom("channel_keys").select("channel_id").execute();
      expect(left).toEqual([{ channel_id: 5 }]);
      await close();
    });

    test("P-S8: every write is recorded for other nodes and in the audit log", async () => {
      const { db, world, call, create, close } = await openGateway(dialect);
      const id = await create();
      await call(contract.updateChannel, { id, name: "renamed" });
      await call(contract.tagChannels, { ids: [id], tag: "t" });
      await call(contract.disableTag, { tag: "t" });
      await call(contract.removeChannel, { id });

      const changes = await db.selectFrom("config_changes").select(["part", "version"]).execute();
      expect(changes).toHaveLength(5);
      expect(new Set(changes.map(({ part }) => part))).toEqual(new Set(["channels"]));
      expect(world.applied).toBe(5);
      const notes = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
      expect(notes.map(({ action }) => action)).toEqual([
        "channel.create",
        "channel.update",
        "channel.tag",
        "channel.update-tag",
        "channel.remove",
      ]);
      expect(JSON.parse(notes[1]?.detail ?? "")).toEqual({
        before: { name: "main" },
        after: { name: "renamed" },
      });
      expect(await verifyAudit(db)).toMatchObject({ ok: true });
      await close();
    });
  });
}
