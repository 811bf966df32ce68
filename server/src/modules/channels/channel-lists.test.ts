import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { z } from "zod";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { wiresOf } from "#providers/provider.ts";
import { now, openGateway } from "./testing/channels.ts";

for (const dialect of testDialects) {
  describe(`lists of channels on ${dialect}`, () => {
    test("O-137 O-138: keys that channels already have are named before they are saved again", async () => {
      const { call, create, close } = await openGateway(dialect);
      const first = await create({ name: "first", key: "sk-known-1" });
      const second = await create({ name: "second", keys: ["sk-known-1", "sk-known-2"] });
      const keys = ["sk-new", "sk-known-2", " sk-known-1 "];
      expect(await call(probes.findKnownKeys, { keys })).toEqual([
        { at: 1, channels: [{ id: second, name: "second" }] },
        {
          at: 2,
          channels: [
            { id: first, name: "first" },
            { id: second, name: "second" },
          ],
        },
      ]);
      expect(await call(probes.findKnownKeys, { keys: ["sk-new"] })).toEqual([]);
      await close();
    });

    test("a channel of Spark with three keys speaks its WebSocket format, unless `wire` names another", async () => {
      const { create, open, close } = await openGateway(dialect);
      const three = "app|secret|key";
      const wire = (format: string) => JSON.stringify({ wire: format });
      const wanted = new Map([
        [await create({ type: 18, key: three }), "xunfei-spark"],
        [await create({ type: 18, key: "password" }), "openai-chat"],
        [await create({ type: 18, keys: [three, "password"] }), "openai-chat"],
        [await create({ type: 18, key: three, setting: wire("openai-chat") }), "openai-chat"],
        [
          await create({ type: 18, key: "password", setting: wire("xunfei-spark") }),
          "xunfei-spark",
        ],
        [await create({ type: 18, key: three, base_url: "https://a.example" }), "xunfei-spark"],
      ]);
      const { views } = await open();

      for (const [id, format] of wanted) {
        const { provider = { formats: {} } } = views.get(id) ?? {};
        expect([id, wiresOf(provider)]).toEqual([id, [format]]);
      }
      await close();
    });

    test("O-182 O-209: pages start at 0 and are sorted by priority or newest first", async () => {
      const { create, ids, close } = await openLists(dialect);
      for (const priority of [0, 5, -3, 5]) await create({ priority });

      expect(await ids({})).toEqual([4, 2, 1, 3]);
      expect(await ids({ id_sort: "true" })).toEqual([4, 3, 2, 1]);
      expect(await ids({ p: "0", page_size: "3" })).toEqual([4, 2, 1]);
      expect(await ids({ p: "-1", page_size: "3" })).toEqual([4, 2, 1]);
      expect(await ids({ p: "1", page_size: "3" })).toEqual([3]);
      expect(await ids({ p: "2", page_size: "3" })).toEqual([]);
      await close();
    });

    test("O-062: a page in tag mode counts tags and lists all channels of each tag", async () => {
      const { create, ids, close } = await openLists(dialect);
      for (const tag of ["b", "a", "", "b", "c"]) await create({ tag });

      expect(await ids({ tag_mode: "true" })).toEqual([2, 4, 1, 5]);
      expect(await ids({ tag_mode: "1", page_size: "2" })).toEqual([2, 4, 1]);
      expect(await ids({ tag_mode: "1", page_size: "2", p: "1" })).toEqual([5]);
      await close();
    });

    test("O-210 O-211: each filter narrows the list, and wildcards are plain text", async () => {
      const { create, ids, close } = await openLists(dialect);
      await create({
        name: "Alpha 50%",
        models: "gpt-4o,o3",
        group: "default,vip",
        key: "key-one",
      });
      await create({ name: "Beta", models: "claude-3", groups: ["vip2"], key: "key-two" });
      await create({ name: "Gamma", models: "gpt-4o", status: 2, key: "key-one" });
      const search = async (filter: object) => await ids(filter, contract.searchChannels);
      const searchNew = async (filter: object) => await ids(filter, contract.searchNewChannels);

      expect(await search({ keyword: "alpha" })).toEqual([1]);
      expect(await search({ keyword: " 2 " })).toEqual([2]);
      expect(await search({ keyword: "50%" })).toEqual([1]);
      expect(await search({ keyword: "%" })).toEqual([1]);
      expect(await search({ keyword: "key-two" })).toEqual([2]);
      expect(await search({ keyword: "key-t" })).toEqual([]);
      expect(await search({ model: "gpt" })).toEqual([3, 1]);
      expect(await search({ group: "vip" })).toEqual([1]);
      expect(await search({ group: "vip2", model: "gpt" })).toEqual([]);
      expect(await search({ group: "null" })).toEqual([3, 2, 1]);
      expect(await search({ status: "2" })).toEqual([3]);
      expect(await search({ type: "1", keyword: "b" })).toEqual([2]);
      expect(await search({ type: "8" })).toEqual([]);
      expect(await searchNew({ status: "2" })).toEqual([3]);
      expect(await searchNew({ status: "" })).toEqual([3, 2, 1]);
      expect(await searchNew({ key: " key-one ", model: "gpt" })).toEqual([3, 1]);
      expect(await searchNew({ key: "key-one", model: "o3" })).toEqual([1]);
      await expect(searchNew({ key: "key-one" })).rejects.toThrow("KEY查询时请输入模型");
      await close();
    });

    test("a search returns every match, or one page if the caller asks for a page", async () => {
      const { create, ids, close } = await openLists(dialect);
      await create({ key: Array.from({ length: 30 }, (_, index) => `k${index}`).join("\n") });
      const search = async (filter: object) => await ids(filter, contract.searchChannels);

      expect(await search({ keyword: "main" })).toHaveLength(30);
      expect(await search({ keyword: "main", p: "1", page_size: "20" })).toHaveLength(10);
      await close();
    });

    test("a page tells the total of all pages: channels, or tags in tag mode", async () => {
      const { create, total, close } = await openLists(dialect);
      for (const tag of ["b", "a", "", "b"]) await create({ tag });

      expect(await total({ page_size: "2" })).toBe(4);
      expect(await total({ page_size: "1", tag_mode: "true" })).toBe(2);
      expect(await total({ keyword: "3", p: "0" }, contract.searchChannels)).toBe(1);
      await close();
    });

    test("a list is sorted by any shown column; an unknown column is ignored", async () => {
      const { db, create, ids, close } = await openLists(dialect);
      for (const [name, weight] of [
        ["b", 1],
        ["c", 3],
        ["a", 3],
      ] as const) {
        await create({ name, weight });
      }
      const counts = { request_count: 1, prompt_tokens: 1, completion_tokens: 1 };
      await db
        .insertInto("counters")
        .values({ kind: "channel", id: 2, used_quota: 5, ...counts })
        .execute();

      expect(await ids({ sort: "name" })).toEqual([3, 1, 2]);
      expect(await ids({ sort: "-weight" })).toEqual([3, 2, 1]);
      expect(await ids({ sort: "used_quota" })).toEqual([3, 1, 2]);
      expect(await ids({ sort: "id" })).toEqual([1, 2, 3]);
      expect(await ids({ sort: "key; drop table channels" })).toEqual([3, 2, 1]);
      await close();
    });

    test("O-189: a row shows the quota charged for the channel's calls", async () => {
      const { db, create, read, close } = await openLists(dialect);
      const id = await create();
      const counts = { request_count: 1, prompt_tokens: 1, completion_tokens: 1 };
      await db
        .insertInto("counters")
        .values([
          { kind: "channel", id, used_quota: 990, ...counts },
          { kind: "user", id, used_quota: 7, ...counts },
        ])
        .execute();

      expect(await read(id)).toMatchObject({ used_quota: 990 });
      await close();
    });

    test("O-228 to O-237: a tag is set, renamed and switched on all its channels", async () => {
      const { db, create, call, read, close } = await openLists(dialect);
      await create({ key: "1\n2\n3", priority: 1 });
      expect(await call(contract.tagChannels, { ids: [1, 2], tag: "t" })).toBe(2);
      const edit = async (fields: object) =>
        await call(contract.updateTag, { tag: "t", ...fields });

      await edit({ priority: 0, weight: "4", models: "", groups: "", model_mapping: "" });
      await edit({ models: "m1,m2", groups: "g", model_mapping: '{"a":"b"}' });
      const changed = { priority: 0, weight: 4, models: "m1,m2", group: "g" };
      for (const id of [1, 2]) expect(await read(id)).toMatchObject(changed);
      expect(await read(3)).toMatchObject({ priority: 1, models: "gpt-4o", tag: null });

      await call(contract.disableTag, { tag: "t" });
      expect(await statuses(db)).toEqual([2, 2, 1]);
      await call(contract.enableTag, { tag: "t" });
      expect(await statuses(db)).toEqual([1, 1, 1]);

      const ids = { ids: [1, 3] };
      expect(await call(contract.switchChannels, { ...ids, status: 2 })).toBe(2);
      expect(await statuses(db)).toEqual([2, 1, 2]);
      expect(await call(contract.switchChannels, { ...ids, status: 1 })).toBe(2);
      await expect(call(contract.switchChannels, { ...ids, status: 3 })).rejects.toThrow(
        "状态无效",
      );

      await edit({ new_tag: "u" });
      expect((await read(1)).tag).toBe("u");
      await call(contract.updateTag, { tag: "u", new_tag: "" });
      expect((await read(1)).tag).toBeNull();
      await expect(call(contract.updateTag, { tag: "", priority: 1 })).rejects.toThrow(
        "tag不能为空",
      );
      await expect(call(contract.enableTag, { tag: "" })).rejects.toThrow("参数错误");
      await close();
    });

    test("O-157 to O-159: a call refuses for a tag what its form refuses", async () => {
      const { db, call, create, read, close } = await openLists(dialect);
      const id = await create({ tag: "t", weight: 3 });
      const before = await db.selectFrom("config_changes").select("version").execute();
      for (const [sent, rule] of [
        [{}, "没有任何修改！"],
        [{ new_tag: "t", models: "", groups: "", model_mapping: "" }, "没有任何修改！"],
        [{ groups: " , " }, "没有任何修改！"],
        [{ priority: 1.5 }, "优先级必须是整数！"],
        [{ weight: -1 }, "权重必须是非负整数！"],
        [{ weight: "many" }, "权重必须是非负整数！"],
        [{ groups: "a".repeat(65) }, "分组名称"],
        [{ groups: 7 }, "无效的参数：groups"],
        [{ models: ["m"] }, "无效的参数：models"],
        [{ tag: "nobody", weight: 1 }, "没有带此标签的渠道"],
      ] as const) {
        await expect(call(contract.updateTag, { tag: "t", ...sent })).rejects.toThrow(rule);
      }
      await expect(call(contract.enableTag, { tag: "nobody" })).rejects.toThrow("没有带此标签");
      expect(await db.selectFrom("config_changes").select("version").execute()).toEqual(before);
      expect(await read(id)).toMatchObject({ tag: "t", weight: 3, group: "default" });

      await call(contract.updateTag, { tag: "t", groups: ["vip", "default"] });
      expect((await read(id)).group).toBe("vip,default");
      // As consoles of one-api send it: every field, those that stay empty.
      await call(contract.updateTag, { tag: "t", new_tag: "t", groups: "a,b", models: "" });
      expect(await read(id)).toMatchObject({ group: "a,b", tag: "t" });
      await close();
    });

    test("the relay gets a channel as it was configured", async () => {
      const { create, open, close } = await openLists(dialect);
      const id = await create({
        base_url: "https://api.example.com/v1/",
        other: "o",
        openai_organization: "org",
        models: " gpt-4o, o3,,gpt-4o",
        group: "default,vip",
        model_mapping: '{"gpt-4o":"deployment"}',
        status_code_mapping: '{"404":503,"400":"500"}',
        param_override: '{"temperature":0.5,"stop":["a"]}',
        setting: '{"firstByteMs":120000,"wire":"openai-chat"}',
        test_model: "o3",
        priority: -3,
        weight: 4,
        auto_ban: 0,
      });
      const { views, left } = await open();

      expect(left).toEqual([]);
      expect(views.get(id)).toMatchObject({
        status: 1,
        baseUrl: "https://api.example.com/v1",
        other: "o",
        organization: "org",
        models: new Set(["gpt-4o", "o3"]),
        groups: new Set(["default", "vip"]),
        modelMapping: new Map([["gpt-4o", "deployment"]]),
        statusCodeMapping: new Map([
          [404, 503],
          [400, 500],
        ]),
        paramOverride: { temperature: 0.5, stop: ["a"] },
        priority: -3,
        weight: 4,
        autoBan: false,
        testModel: "o3",
        limits: { connectMs: 5_000, firstByteMs: 120_000 },
      });
      // The chosen format for conversations, and what serves pictures and the like as before.
      const formats = Object.keys(views.get(id)?.provider.formats ?? {});
      expect(formats).toContain("openai-chat");
      expect(formats).not.toContain("openai-responses");
      expect(formats).toContain("openai-images");
      const plain = await create();
      expect((await open()).views.get(plain)).toMatchObject({
        baseUrl: "https://api.openai.com",
        paramOverride: null,
        headerOverride: null,
        autoBan: true,
      });
      await close();
    });

    // The relay does not get a channel with invalid columns, because a missing channel does less
    // harm than one that sends the wrong model or settings.
    test("P-O6: a channel with invalid columns in the table is left out and reported", async () => {
      const { db, create, open, close } = await openLists(dialect);
      await create({ key: "1\n2\n3\n4" });
      const spoil = async (id: number, set: object) =>
        await db.updateTable("channels").set(set).where("id", "=", id).execute();
      await spoil(1, { model_mapping: "{" });
      await spoil(2, { type: 9_999 });
      await spoil(3, { setting: '{"totalMs":-1}' });

      const { views, left } = await open();
      expect([...views.keys()]).toEqual([4]);
      expect(left.map(([id]) => id)).toEqual([1, 2, 3]);
      await close();
    });

    test("O-007: the form gets every channel type and the fields it needs", async () => {
      const { call, close } = await openLists(dialect);
      const types = contract.listChannelTypes.output.parse(
        await call(contract.listChannelTypes, {}),
      );

      expect(types.find(({ type }) => type === 1)).toMatchObject({
        label: "OpenAI",
        base_url: "https://api.openai.com",
        base_url_form: null,
        lists_models: true,
        wires: ["openai-chat", "openai-responses"],
      });
      const custom = types.find(({ type }) => type === 8);
      expect(custom).toMatchObject({ base_url: null, lists_models: false });
      expect(custom?.base_url_form).toContain("{model}");
      await close();
    });

    test("O-191: times are in Unix seconds", async () => {
      const { create, read, close } = await openLists(dialect);
      expect(await read(await create())).toMatchObject({ created_time: now, test_time: 0 });
      await close();
    });
  });
}

const answered = z.object({
  data: contract.listChannels.output,
  extras: z.object({ total: z.number() }),
});

async function openLists(dialect: (typeof testDialects)[number]) {
  const gateway = await openGateway(dialect);
  const page = async (filter: object, endpoint: Endpoint = contract.listChannels) =>
    answered.parse(await gateway.call(endpoint, filter));
  const ids = async (filter: object, endpoint?: Endpoint) =>
    (await page(filter, endpoint)).data.map(({ id }) => id);
  const total = async (filter: object, endpoint?: Endpoint) =>
    (await page(filter, endpoint)).extras.total;
  return { ...gateway, ids, total };
}

async function statuses(db: Db): Promise<number[]> {
  const rows = await db.selectFrom("channels").select("status").orderBy("id").execute();
  return rows.map(({ status }) => status);
}
