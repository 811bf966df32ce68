import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import {
  type Answer,
  type OneApiConsole,
  openOneApiConsole,
  type Page,
  password,
} from "./one-api-console.ts";
import { adminUser, answered, expectShape, pageOf } from "./shapes.ts";

type Row = z.infer<typeof adminUser>;

const said = ({ status, body: { success, message } }: Answer) => [status, success, message];
const refused = (message: string) => [200, false, message];
const done = [200, true, ""];
const managed = answered(
  z.strictObject({ role: z.literal([1, 10, 100]), status: z.literal([1, 2, 3]) }),
);

for (const dialect of testDialects) {
  describe(`users in the console API on ${dialect}`, () => {
    let site: OneApiConsole;
    let root: Page;
    let admin: Page;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
      ({ root } = site);
      admin = await site.user("adam", 10);
    });
    afterAll(async () => await site.close());

    const read = async (id: number): Promise<Row> => await root.data("GET", `/api/user/${id}`);
    const add = async (username: string): Promise<Row> => {
      await admin.data("POST", "/api/user/", { username, password, display_name: username });
      const { items } = await root.data<{ items: Row[] }>(
        "GET",
        `/api/user/search?keyword=${username}&group=&p=0&page_size=10`,
      );
      const row = items.find((one) => one.username === username);
      if (row === undefined) throw new Error(`${username} was not made`);
      return row;
    };

    test("A-251, A-269, A-336, A-339, A-401 to A-404: rows have every key of the admin views", async () => {
      const gone = await add("gone");
      await root.data("POST", "/api/user/manage", { id: gone.id, action: "delete" });
      const rows = z.array(adminUser);
      for (const path of ["/api/user/?p=1&page_size=10", "/api/user/search?keyword=&group=&p=1"]) {
        expectShape(answered(pageOf(adminUser)), (await admin.get(path)).body);
      }
      const plain = await admin.get("/api/user/query?keyword=a&group=default");
      expectShape(answered(rows, { total: z.int() }), plain.body);
      const paged = await admin.get("/api/user/query?keyword=&group=&p=1&page_size=10");
      expectShape(answered(pageOf(adminUser), { total: z.int() }), paged.body);
      expectShape(answered(adminUser), (await admin.get(`/api/user/${admin.userId}/`)).body);
      expectShape(answered(adminUser), (await root.get(`/api/user/${gone.id}`)).body);
      expect((await read(gone.id)).DeletedAt).toBeString();
    });

    test("A-229, A-409: creating a user answers no data, and refusals use one-api's words", async () => {
      const post = async (body: object) => await admin.post("/api/user/", body);
      const body = { username: "bob", password, display_name: "Bob" };
      expect((await post(body)).body).toEqual({ success: true, message: "" });
      expect(said(await post(body))).toEqual(refused("用户名已存在，或已注销"));
      expect(said(await post({}))).toEqual(refused("用户名和密码不能为空！"));
      expect(said(await post({ ...body, username: "carl", role: 10 }))).toEqual(
        refused("无法创建权限大于等于自己的用户"),
      );
      expect(said(await post({ ...body, username: "carl", password: "7777777" }))[2]).toStartWith(
        "输入不合法 ",
      );
    });

    test("A-230 to A-234, A-245 to A-247, A-271, A-406: a row sent back saves the changed fields", async () => {
      const before = await add("dora");
      const put = async (body: object) => await admin.put("/api/user/", body);
      // Some pages of one-api's console send the quota as text.
      const row = { ...before, password: "", display_name: "Dora", group: "vip", quota: "700" };
      expect((await put(row)).body).toEqual({ success: true, message: "" });
      expect(await read(before.id)).toEqual({
        ...before,
        display_name: "Dora",
        group: "vip",
        quota: 700,
        quota_version: before.quota_version + 1,
      });

      const changed = await read(before.id);
      for (const part of [{}, { username: "", group: "", password: null }]) {
        expect(said(await put({ id: before.id, ...part }))).toEqual(done);
      }
      expect(await read(before.id)).toEqual(changed);
      expect(said(await put({ ...changed, quota: -1 }))).toEqual(refused("剩余额度不能小于0"));
      expect(said(await put({ ...changed, password: "7777777" }))[2]).toStartWith("输入不合法 ");
      expect(said(await put({ ...changed, role: 10 }))).toEqual(
        refused("无权将其他用户权限等级提升到大于等于自己的权限等级"),
      );
      expect(said(await put({ display_name: "nobody" }))[1]).toBe(false);
      expect(said(await put({ id: root.userId, display_name: "mine" }))).toEqual(
        refused("无权更新同权限等级或更高权限等级的用户信息"),
      );
    });

    test("A-236 to A-240, A-255 to A-258, A-410: manage answers role and status of the row", async () => {
      const { id, username } = await add("emil");
      const manage = async (body: object, page = root) =>
        await page.post("/api/user/manage", { id, ...body });
      const steps = [
        ["disable", { role: 1, status: 2 }],
        ["enable", { role: 1, status: 1 }],
        ["promote", { role: 10, status: 1 }],
        ["demote", { role: 1, status: 1 }],
        ["delete", { role: 1 }],
      ] as const;
      for (const [action, data] of steps) {
        const answer = await manage({ action });
        expectShape(managed, answer.body);
        expect(answer.body.data).toMatchObject(data);
      }
      expect(said(await manage({ action: "enable" }))[1]).toBe(false);
      expect(said(await manage({ action: "explode" }))).toEqual(refused("无效的参数"));
      expect(said(await manage({ id: 999_999, action: "enable" }))).toEqual(refused("用户不存在"));
      // Older consoles send the user's name instead of the id.
      const { username: name } = await add("fred");
      const byName = await root.post("/api/user/manage", { username: name, action: "disable" });
      expectShape(managed, byName.body);
      expect(said(await root.post("/api/user/manage", { username, action: "enable" }))[1]).toBe(
        false,
      );
    });

    test("A-259 to A-263, A-292: the rank rule refuses in one-api's words", async () => {
      const { id } = await add("gina");
      const manage = async (page: Page, target: number, action: string) =>
        said(await page.post("/api/user/manage", { id: target, action }));
      const other = await site.user("abel", 10);
      expect(await manage(admin, id, "promote")).toEqual(
        refused("普通管理员用户无法提升其他用户为管理员"),
      );
      for (const action of ["disable", "delete", "demote"]) {
        expect(await manage(admin, other.userId, action)).toEqual(
          refused("无权更新同权限等级或更高权限等级的用户信息"),
        );
      }
      expect(await manage(root, other.userId, "promote")).toEqual(refused("该用户已经是管理员"));
      expect(await manage(root, id, "demote")).toEqual(refused("该用户已经是普通用户"));
      expect(await manage(root, root.userId, "disable")).toEqual(refused("无法禁用超级管理员用户"));
      expect(await manage(root, root.userId, "delete")).toEqual(refused("无法删除超级管理员用户"));
      expect(await manage(root, root.userId, "demote")).toEqual(refused("无法降级超级管理员用户"));
      expect(said(await admin.get(`/api/user/${other.userId}`))).toEqual(
        refused("无权获取同级或更高等级用户的信息"),
      );
      expect(said(await admin.delete(`/api/user/${other.userId}`))).toEqual(
        refused("无权删除同权限等级或更高权限等级的用户"),
      );
    });

    test("A-264: deleting by id answers, and keeps the row as deleting by manage does", async () => {
      const { id } = await add("hugo");
      expect((await admin.delete(`/api/user/${id}/`)).body).toEqual({ success: true, message: "" });
      expect((await read(id)).DeletedAt).toBeString();
    });

    test("A-228, A-403: a search by id, by part of a name in any case, and by group", async () => {
      const { id } = await add("ingrid");
      await root.data("PUT", "/api/user/", { id, group: "svip" });
      const names = async (query: string): Promise<string[]> => {
        const { items } = await root.data<{ items: Row[] }>("GET", `/api/user/search?${query}`);
        return items.map(({ username }) => username);
      };
      expect(await names(`keyword=${id}&group=`)).toContain("ingrid");
      expect(await names("keyword=INGR&group=null")).toEqual(["ingrid"]);
      expect(await names("keyword=&group=svip")).toEqual(["ingrid"]);
      expect(await names("keyword=in_rid&group=")).toEqual([]);
      expect(
        await root.data<Row[]>("GET", "/api/user/query?keyword=INGR&group=svip"),
      ).toMatchObject([{ username: "ingrid" }]);
    });
  });
}
