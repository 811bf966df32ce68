import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { user } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const english = { "accept-language": "en-GB,en;q=0.9" };

for (const dialect of testDialects) {
  describe(`a user's language on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    beforeEach(() => {
      gateway.clock.nowMs += 3 * 3_600_000;
      gateway.mails.length = 0;
      gateway.setOptions({ SMTPServer: "mail.example.org", QuotaRemindThreshold: "1000" });
    });
    afterAll(async () => await gateway.close());

    const register = async (
      username: string,
      headers: Readonly<Record<string, string>>,
    ): Promise<Client> => {
      const body = { username, password: testPassword };
      const made = await gateway.call("POST", "/api/user/register", { headers, body });
      expect(made.body.success).toBe(true);
      return await gateway.signIn(username);
    };
    const languageOf = async (client: Client) =>
      user.parse((await client.get("/api/user/self")).body.data).language;
    /**
     * Gives the user an address, and a call after which the balance is below the warning threshold.
     */
    const fallLow = async ({ id }: Client, email: string): Promise<void> => {
      await gateway.db.updateTable("users").set({ email }).where("id", "=", id).execute();
      const { nowMs } = gateway.clock;
      const posting = { kind: "topup", userId: id, amount: 500, detail: "", nowMs } as const;
      await gateway.db
        .transaction()
        .execute(async (tx) => await postEntry(tx, { ...posting, cause: `low:${id}` }));
      const hour = Math.floor(nowMs / 3_600_000) * 3_600;
      const keys = { token_id: 0, channel_id: 0, model_name: "m", group: "default" };
      const sums = { quota: 1, request_count: 1, prompt_tokens: 0, completion_tokens: 0 };
      await gateway.db
        .insertInto("usage_hours")
        .values({ hour, user_id: id, ...keys, ...sums })
        .execute();
      await gateway.runJob("quota-warnings");
    };

    test("a user who registers in English gets notices and e-mails in English", async () => {
      const erin = await register("erin", english);
      expect(await languageOf(erin)).toBe("en");
      await fallLow(erin, "erin@example.com");
      expect(gateway.mails).toEqual([
        {
          to: "erin@example.com",
          subject: "Your balance is running low",
          text: "Your balance is $0.001000, below your warning threshold of $0.002000.\n",
        },
      ]);

      const reset = await gateway.call("GET", "/api/reset_password?email=erin@example.com");
      expect(reset.body.success).toBe(true);
      await Bun.sleep(0);
      while (gateway.mails.length < 2) await Bun.sleep(1);
      expect(gateway.mails[1]?.subject).toContain("reset your password");
    });

    test("the language is kept, and the user can change it", async () => {
      const zoe = await register("zoe", { "accept-language": "zh-CN" });
      expect(await languageOf(zoe)).toBe("zh");
      // Neither a request in another language nor saving an invalid one changes the user's
      // language.
      await gateway.call("GET", "/api/user/self", { headers: { ...zoe.headers, ...english } });
      for (const language of ["", "xx", null]) {
        expect((await zoe.put("/api/user/self", { language })).body.success).toBe(true);
      }
      expect(await languageOf(zoe)).toBe("zh");
      expect((await zoe.put("/api/user/self", { language: "en" })).body.success).toBe(true);
      expect(await languageOf(zoe)).toBe("en");
      await fallLow(zoe, "zoe@example.com");
      expect(gateway.mails[0]?.subject).toBe("Your balance is running low");
    });

    test("an account that somebody else made learns its language at the first sign-in", async () => {
      const finn = await gateway.user("finn");
      expect(await languageOf(finn)).toBe("");
      const body = { username: "finn", password: testPassword };
      await gateway.call("POST", "/api/user/login", { body, headers: english });
      expect(await languageOf(finn)).toBe("en");
      const headers = { "accept-language": "zh" };
      await gateway.call("POST", "/api/user/login", { body, headers });
      expect(await languageOf(finn)).toBe("en");
    });

    test("the warning of a low balance leads to a page that exists", async () => {
      gateway.setOptions({
        SMTPServer: "mail.example.org",
        QuotaRemindThreshold: "1000",
        ServerAddress: "https://gateway.test",
      });
      await fallLow(await register("gwen", english), "gwen@example.com");
      const [, address = ""] = /Your account: (\S+)/.exec(gateway.mails[0]?.text ?? "") ?? [];
      const { pathname } = new URL(address);
      const screens = await Bun.file(
        new URL("../../../web/src/app/screens.ts", import.meta.url),
      ).text();
      expect(screens).toContain(`path: "${pathname}"`);
    });
  });
}
