import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Redemption, redemption } from "@tollgate/contract/endpoints/redemptions.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const listed = z.object({ items: z.array(redemption), total: z.number() });

for (const dialect of testDialects) {
  describe(`redemption codes on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    const create = async (body: object = {}): Promise<string[]> => {
      const sent = { name: "spring", quota: 500, count: 1, ...body };
      const answer = await (await gateway.root()).post("/api/redemption/", sent);
      expect(answer.body).toMatchObject({ success: true });
      return z.array(z.string()).parse(answer.body.data);
    };
    const find = async (keyword: string, more = ""): Promise<Redemption[]> => {
      const path = `/api/redemption/search?keyword=${keyword}${more}`;
      return listed.parse((await (await gateway.root()).get(path)).body.data).items;
    };
    const only = async (key: string): Promise<Redemption> => {
      const [row, second] = await find(key);
      if (row === undefined || second !== undefined) throw new Error(`not one row of ${key}`);
      return row;
    };
    const redeem = async (client: Client, key: string) =>
      (await client.post("/api/user/topup", { key })).body;
    const quotaOf = async (client: Client) =>
      z.object({ quota: z.number() }).parse((await client.get("/api/user/self")).body.data).quota;
    const later = () => {
      gateway.clock.nowMs += 3_600_001;
    };

    test("O-345, O-353, O-356, O-367: a batch is created whole, listed, and read again", async () => {
      const keys = await create({ count: 3, group: "vip", user_limit: 2 });
      expect(new Set(keys).size).toBe(3);
      const rows = listed.parse(
        (await (await gateway.root()).get("/api/redemption/?p=1&page_size=2")).body.data,
      );
      expect(rows.total).toBe(3);
      expect(rows.items).toHaveLength(2);
      const row = await only(keys[0] ?? "");
      expect(row).toMatchObject({
        name: "spring",
        key: keys[0],
        quota: 500,
        status: 1,
        group: "vip",
        user_limit: 2,
        used_user_id: 0,
        count: 0,
      });
      const read = await (await gateway.root()).get(`/api/redemption/${row.id}`);
      expect(read.body.data).toEqual(row);
      // The database holds no code in clear.
      const stored = JSON.stringify(
        await gateway.db.selectFrom("redemptions").selectAll().execute(),
      );
      for (const key of keys) expect(stored.includes(key)).toBe(false);
    });

    test("O-347, O-348, O-349, O-352, O-353: names, counts and amounts out of range create nothing", async () => {
      const before = (await find("")).length;
      const refused: [object, string][] = [
        [{ name: "n".repeat(21) }, "兑换码名称长度必须在1-20之间"],
        [{ count: 101 }, "一次兑换码批量生成的个数不能大于 100"],
        [{ count: 0 }, "兑换码个数必须大于0"],
        [{ count: 1.5 }, "兑换码个数必须是 1 到 100 的整数"],
        [{ count: "many" }, "兑换码个数必须是 1 到 100 的整数"],
        [{ quota: 1.5 }, "额度必须是大于 0 的整数"],
        [{ quota: 0 }, "额度必须是大于 0 的整数"],
        [{ quota: -5 }, "额度必须是大于 0 的整数"],
        [{ quota: undefined }, "额度必须是大于 0 的整数"],
        [{ quota: null }, "额度必须是大于 0 的整数"],
        [{ quota: "" }, "额度必须是大于 0 的整数"],
        [{ group: "nobody" }, "分组不存在：nobody"],
        [{ expired_time: 1 }, "过期时间不能早于现在"],
      ];
      for (const [body, message] of refused) {
        const answer = await (
          await gateway.root()
        ).post("/api/redemption/", { name: "x", quota: 1, count: 1, ...body });
        expect(answer.body).toMatchObject({ success: false, message });
      }
      expect((await find("")).length).toBe(before);
      const [key = ""] = await create({ name: "", quota: 750_000 });
      expect((await only(key)).name).toBe("$1.50");
      expect((await create({ name: "字".repeat(20), count: 100 })).length).toBe(100);
    });

    test("O-341: only root sees and makes codes", async () => {
      const admin = await gateway.user("codeadmin", 10);
      expect((await admin.get("/api/redemption/")).body.success).toBe(false);
      expect((await admin.post("/api/redemption/", { quota: 1 })).body.success).toBe(false);
    });

    test("O-361, O-382: a code becomes quota once, and tells who redeemed it", async () => {
      const [key = ""] = await create({ quota: 700 });
      const alice = await gateway.user("alice");
      expect(await redeem(alice, ` ${key} `)).toMatchObject({ success: true, data: 700 });
      expect(await quotaOf(alice)).toBe(700);
      expect(await redeem(alice, key)).toMatchObject({
        success: false,
        message: "兑换失败，该兑换码已被使用",
      });
      expect(await only(key)).toMatchObject({
        status: 3,
        used_user_id: alice.id,
        used_username: "alice",
        DeletedAt: null,
        redeemed_time: Math.floor(gateway.clock.nowMs / 1_000),
      });
      const used = await find("", "&used_by=ali&status=3");
      expect(used.map((row) => row.key)).toEqual([key]);
      const log = await gateway.db
        .selectFrom("logs")
        .select(["type", "content"])
        .where("user_id", "=", alice.id)
        .executeTakeFirstOrThrow();
      expect(log).toEqual({ type: 1, content: `通过兑换码充值 700，兑换码ID ${used[0]?.id}` });
      expect((await proveLedger(gateway.db)).flaw).toBeNull();
    });

    test("O-362, O-363, O-368, O-369: used codes stay as they are, disabled ones cannot be edited", async () => {
      const [used = "", open = ""] = await create({ count: 2 });
      const bob = await gateway.user("bob");
      await redeem(bob, used);
      const { id } = await only(used);
      const put = async (body: object, query = "") =>
        (await (await gateway.root()).put(`/api/redemption/${query}`, body)).body;
      expect(await put({ id, status: 1 }, "?status_only=true")).toMatchObject({
        success: false,
        message: "已使用的兑换码不能更改状态",
      });
      expect(await put({ id, name: "new" })).toMatchObject({
        success: false,
        message: "只能编辑未使用的兑换码",
      });
      const row = await only(open);
      // A console sends the whole row back.
      expect(await put({ ...row, name: "new", quota: 9 })).toMatchObject({ success: true });
      expect(await only(open)).toMatchObject({ name: "new", quota: 9, key: open });
      const off = await put({ id: row.id, status: 2, quota: 1 }, "?status_only=true");
      expect(off).toMatchObject({ success: true, data: { status: 2, quota: 9 } });
      expect(await put({ id: row.id, quota: 5 })).toMatchObject({ success: false });
      expect(await redeem(bob, open)).toMatchObject({
        success: false,
        message: "兑换失败，该兑换码已被使用",
      });
    });

    test("O-357, O-370: codes that are unknown, deleted or expired are answered alike, and one of another group says so", async () => {
      later();
      const carol = await gateway.user("carol");
      const [vip = ""] = await create({ group: "vip" });
      const soon = Math.floor(gateway.clock.nowMs / 1_000) + 60;
      const [expired = ""] = await create({ expired_time: soon });
      const [deleted = ""] = await create();
      await (await gateway.root()).delete(`/api/redemption/${(await only(deleted)).id}/`);
      gateway.clock.nowMs += 61_000;
      for (const key of ["no such code", expired, deleted]) {
        expect(await redeem(carol, key)).toMatchObject({
          success: false,
          message: "兑换失败，无效的兑换码",
        });
      }
      expect(await redeem(carol, vip)).toMatchObject({
        success: false,
        message: "兑换失败，该兑换码只供其他分组使用",
      });
      expect(await redeem(carol, "")).toMatchObject({ success: false, message: "未提供兑换码" });
      await gateway.db
        .updateTable("users")
        .set({ group: "vip" })
        .where("id", "=", carol.id)
        .execute();
      expect(await redeem(carol, vip)).toMatchObject({ success: true });
      // The operator's name of the code is for other eyes.
      const { id } = await only(vip);
      const entry = gateway.db.selectFrom("entries").select("detail").where("kind", "=", "redeem");
      const told = await entry.where("user_id", "=", carol.id).executeTakeFirstOrThrow();
      expect(told.detail).toBe(`#${id}`);
      // Entries of earlier versions have the name behind the id, and statements cut it off.
      const write = async (detail: string) =>
        await gateway.db
          .updateTable("entries")
          .set({ detail })
          .where("kind", "=", "redeem")
          .where("user_id", "=", carol.id)
          .execute();
      await write(`${id} autumn campaign`);
      const statement = JSON.stringify((await carol.get("/api/user/self/entries")).body);
      expect(statement).toContain(`"#${id}"`);
      expect(statement).not.toContain("autumn");
      const searched = await carol.get("/api/user/self/entries?keyword=autumn");
      expect(JSON.stringify(searched.body)).not.toContain(`"#${id}"`);
      // What follows proves the ledger, whose hashes cover the remark.
      await write(told.detail);
    });

    test("a user redeems at most as many codes of a batch as its limit says, also at the same time", async () => {
      const dave = await gateway.user("dave");
      const erin = await gateway.user("erin");
      const [first = "", second = "", third = "", fourth = ""] = await create({
        count: 4,
        user_limit: 1,
      });
      const answers = await Promise.all([first, second, third].map((key) => redeem(dave, key)));
      expect(answers.filter((answer) => answer.success)).toHaveLength(1);
      expect(await quotaOf(dave)).toBe(500);
      expect(await redeem(dave, fourth)).toMatchObject({
        message: "兑换失败，该批兑换码每人最多使用 1 个",
      });
      expect(await redeem(erin, fourth)).toMatchObject({ success: true });
    });

    test("wrong codes are limited by user, and codes that are right do not count", async () => {
      later();
      const guesser = await gateway.user("guesser");
      const statuses = await Promise.all(
        Array.from({ length: 15 }, async (_, index) => {
          return (await guesser.post("/api/user/topup", { key: `guess ${index}` })).status;
        }),
      );
      expect(statuses.filter((status) => status === 429)).toHaveLength(5);
      const honest = await gateway.user("honest");
      for (const key of await create({ count: 20 })) {
        expect(await redeem(honest, key)).toMatchObject({ success: true });
      }
    });

    test("P-M7: 200 posts of one code credit it once; 200 codes of one user are credited once each", async () => {
      later();
      const frank = await gateway.user("frank");
      const [key = ""] = await create();
      await Promise.all(Array.from({ length: 200 }, () => redeem(frank, key)));
      expect(await quotaOf(frank)).toBe(500);
      const grace = await gateway.user("grace");
      const codes = [...(await create({ count: 100 })), ...(await create({ count: 100 }))];
      const sendAll = async (keys: readonly string[]) =>
        await Promise.all(keys.map(async (code) => ({ code, ...(await redeem(grace, code)) })));
      let left = codes;
      while (left.length > 0) {
        const answers = await sendAll(left);
        const done = answers.filter((answer) => answer.success).map(({ code }) => code);
        // Whatever the limit of attempts kept back can be sent again.
        expect(done.length).toBeGreaterThan(0);
        left = left.filter((code) => !done.includes(code));
      }
      expect(await quotaOf(grace)).toBe(200 * 500);
      expect((await proveLedger(gateway.db)).flaw).toBeNull();
    });

    test("O-350, O-351: a batch of none is refused, and one of several changes each it may", async () => {
      const [one = "", two = ""] = await create({ count: 2 });
      for (const path of ["/api/redemption/batch", "/api/redemption/batch/status"]) {
        const answer = await (await gateway.root()).post(path, { ids: [], status: 2 });
        expect(answer.body).toMatchObject({ success: false, message: "请至少选择一个兑换码！" });
      }
      const henry = await gateway.user("henry");
      await redeem(henry, one);
      const ids = [(await only(one)).id, (await only(two)).id];
      const answer = await (
        await gateway.root()
      ).post("/api/redemption/batch/status", { ids, status: 2 });
      expect(answer.body.data).toEqual([
        { id: ids[0], success: false, message: "已使用的兑换码不能更改状态" },
        { id: ids[1], success: true, message: "" },
      ]);
      expect((await (await gateway.root()).post("/api/redemption/batch", { ids })).body.data).toBe(
        2,
      );
      expect(await find(two)).toEqual([]);
    });
  });
}
