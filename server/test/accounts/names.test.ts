import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Answer, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const taken = "用户名已存在，或已注销";
const invisible = "输入不合法 用户名不能含有不可见字符";
const markup = "输入不合法 用户名不能含有 < > / 和反斜杠，也不能只有点";
const reserved = "该用户名为保留名称，或与其过于相似，请换一个";

for (const dialect of testDialects) {
  describe(`names on ${dialect}`, () => {
    let gateway: TestConsole;
    let client = 0;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    beforeEach(() => {
      client += 1;
    });
    afterAll(async () => await gateway.close());

    const register = async (username: string, password = testPassword): Promise<Answer> =>
      await gateway.call("POST", "/api/user/register", {
        body: { username, password },
        clientIp: `198.51.100.${client}`,
      });
    const refusalOf = async (username: string): Promise<string | undefined> => {
      client += 1;
      return (await register(username)).body.message;
    };

    test("a name in other letters of the same name is taken: case, width, compatibility forms", async () => {
      await gateway.user("Straße");
      for (const name of ["straße", "STRASSE", "Ｓｔｒａｓｓｅ"]) {
        expect([name, await refusalOf(name)]).toEqual([name, taken]);
      }
      const root = await gateway.root();
      const made = await root.post("/api/user/", { username: "strasse", password: testPassword });
      expect(made.body.message).toBe(taken);
      const carla = await gateway.user("carla");
      expect((await carla.put("/api/user/self", { username: "STRASSE" })).body.message).toBe(taken);
      expect((await carla.put("/api/user/self", { username: "Carla" })).body.success).toBe(true);
      // The name that the user gave up is free again in every form.
      expect((await carla.put("/api/user/self", { username: "clara" })).body.success).toBe(true);
      expect((await register("CARLA")).body.success).toBe(true);
    });

    test("a name cannot hide characters or turn the direction of the text around it", async () => {
      const hidden = ["a\u200bbc", "ab\u202ecd", "ab\u00adcd", "ab\u2066c", "a\u3164b", "a\u00a0b"];
      for (const name of hidden) expect([name, await refusalOf(name)]).toEqual([name, invisible]);
      const dora = await gateway.user("dora");
      for (const name of hidden) {
        const answer = await dora.put("/api/user/self", { username: name });
        expect(answer.body).toMatchObject({ message: invisible, field: "username" });
      }
    });

    test("a name is neither a path nor HTML, however it is chosen", async () => {
      const boss = await gateway.root();
      const elsa = await gateway.user("elsa");
      for (const name of ["../x", "<b>", "a/b", "a\\b", "..", ".", "</td>", "＜b＞", "．．／x"]) {
        expect([name, await refusalOf(name)]).toEqual([name, markup]);
        const made = await boss.post("/api/user/", { username: name, password: testPassword });
        expect([name, made.body.message]).toEqual([name, markup]);
        const own = await elsa.put("/api/user/self", { username: name });
        expect([name, own.body.message, own.body["field"]]).toEqual([name, markup, "username"]);
        const renamed = await boss.put("/api/user/", { id: elsa.id, username: name });
        expect([name, renamed.body.message]).toEqual([name, markup]);
      }
      for (const name of ["a.b", ".hidden", "o'neil", "r&d"]) {
        client += 1;
        expect([name, (await register(name)).body.success]).toEqual([name, true]);
      }
    });

    test("nobody registers or renames to a reserved word, an admin's name or a look-alike of these", async () => {
      await gateway.user("paypal", 10);
      const refused = [
        "Admin",
        "SYSTEM",
        "null",
        "__proto__",
        "undefined",
        "管理员",
        "rооt",
        "Ꭱoot",
        "pаyⲣal",
        "r00t",
        "аdmin",
        "admіn",
        "ѕystem",
        "ádmin",
        "ⅽonstructor",
        "раураl",
        "PayPaI",
        "рауpal",
      ];
      for (const name of refused) expect([name, await refusalOf(name)]).toEqual([name, reserved]);
      const eve = await gateway.user("eve");
      for (const name of ["admin", "раураl"]) {
        const answer = await eve.put("/api/user/self", { username: name });
        expect(answer.body).toMatchObject({ message: reserved, field: "username" });
      }
      const root = await gateway.root();
      const renamed = await root.put("/api/user/", { id: eve.id, username: "Admin" });
      expect(renamed.body.message).toBe(reserved);
      // Names in one script, and names that only begin alike, do not count as look-alikes.
      for (const name of ["Ольга", "张三", "rooted", "admiral", "Łukasz"]) {
        client += 1;
        expect([name, (await register(name)).body.message]).toEqual([name, ""]);
      }
    });

    test("an account keeps the name it has, also one that nobody could take today", async () => {
      const frank = await gateway.user("frank");
      const old = { username: "admin", username_key: null };
      await gateway.db.updateTable("users").set(old).where("id", "=", frank.id).execute();
      const saved = await frank.put("/api/user/self", { username: "admin", display_name: "Frank" });
      expect(saved.body.success).toBe(true);
      expect((await gateway.signIn("admin")).id).toBe(frank.id);
      expect(await refusalOf("ADMIN")).not.toBe("");
    });

    test("a name is the same however its accents were typed", async () => {
      expect((await register("Zoe\u0308")).body.success).toBe(true);
      expect((await gateway.signIn("Zo\u00eb")).username).toBe("Zo\u00eb");
      expect((await gateway.signIn("Zoe\u0308")).id).toBe((await gateway.signIn("Zo\u00eb")).id);
    });
  });

  describe(`passwords in Unicode on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const composed = "cafés ñandú";
    const decomposed = composed.normalize("NFD");
    const register = async (username: string, password: string): Promise<Answer> =>
      await gateway.visitor.post("/api/user/register", { username, password });

    test("a password works however the keyboard composes its accents", async () => {
      expect((await register("gina", decomposed)).body.success).toBe(true);
      expect((await gateway.signIn("gina", composed)).username).toBe("gina");
      expect((await gateway.signIn("gina", decomposed)).username).toBe("gina");
    });

    test("a password that was stored as it was typed still works, and then in every form", async () => {
      const { id } = await gateway.user("hans");
      const stored = { password_hash: `plain:${decomposed}` };
      await gateway.db.updateTable("users").set(stored).where("id", "=", id).execute();
      await expect(gateway.signIn("hans", composed)).rejects.toThrow();
      expect((await gateway.signIn("hans", decomposed)).id).toBe(id);
      expect((await gateway.signIn("hans", composed)).id).toBe(id);
    });

    test("the same password in another form is no new password", async () => {
      const ida = await gateway.user("ida");
      const change = { password: decomposed, original_password: testPassword };
      const changed = await ida.put("/api/user/self", change);
      expect(changed.body.success).toBe(true);
      const again = await gateway.signIn("ida", composed);
      const same = { password: composed, original_password: decomposed };
      expect((await again.put("/api/user/self", same)).body.message).toBe(
        "新密码不能与当前密码相同",
      );
    });

    test("a NUL is refused: some programs would end the password there", async () => {
      const answer = await register("jane", "correct\u0000horse");
      expect(answer.body).toMatchObject({ success: false, message: "密码不能含有空字符" });
    });
  });
}
