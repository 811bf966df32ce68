import { describe, expect, test } from "bun:test";
import {
  isOptionName,
  type OptionName,
  options,
  showOption,
} from "@tollgate/contract/options/options.ts";
import { testDialects } from "#db/testing/database.ts";
import { relayOptions } from "./options.ts";
import { openGateway, probeToken, refusedProbe } from "./testing/options.ts";

const names = Object.keys(options).filter(isOptionName);

for (const dialect of testDialects) {
  describe(`options on ${dialect}`, () => {
    test("A-340 A-349: every key accepts the value it is listed with, and all but secrets are listed", async () => {
      const { save, listed, close } = await openGateway(dialect);
      const before = await listed();
      // Saves all options at the same time, as a page of the console does, which sends a request
      // for each field.
      await Promise.all([...before].map(async ([key, value]) => await save(key, value)));

      expect(await listed()).toEqual(before);
      const shown = names.filter((name) => !options[name].secret);
      expect([...before]).toEqual(
        // The cast is safe: the default value belongs to the same option.
        shown.map((name) => [name, showOption(name, options[name].defaultValue as never)]),
      );
      await close();
    });

    test("A-184 P-S4: a secret takes effect, is stored sealed and is never sent to a client", async () => {
      const { save, listed, db, options: inForce, close } = await openGateway(dialect);
      const secret = "canary-client-secret";
      await save("GitHubClientSecret", secret);
      expect(inForce.read("GitHubClientSecret")).toBe(secret);

      await save("GitHubClientSecret", "");
      expect(inForce.read("GitHubClientSecret"), "an empty field changes nothing").toBe(secret);
      expect(JSON.stringify([...(await listed())])).not.toContain(secret);
      const kept = [
        await db.selectFrom("options").selectAll().execute(),
        await db.selectFrom("audit_log").selectAll().execute(),
      ];
      expect(kept[0]).toHaveLength(1);
      expect(JSON.stringify(kept)).not.toContain(secret);
      await close();
    });

    test("a stored secret can be removed, and can be distinguished from none", async () => {
      const { save, clear, secretsSet, options: inForce, close } = await openGateway(dialect);
      expect(await secretsSet()).toEqual([]);
      await save("GitHubClientId", "id");
      await save("GitHubClientSecret", "s");
      await save("SMTPToken", "s");
      expect(await secretsSet()).toEqual(["GitHubClientSecret", "SMTPToken"]);
      await clear("SMTPToken");
      expect(await secretsSet()).toEqual(["GitHubClientSecret"]);
      expect(inForce.read("SMTPToken")).toBe("");

      await save("GitHubOAuthEnabled", true);
      await expect(clear("GitHubClientSecret")).rejects.toThrow("GitHubOAuthEnabled");
      await save("GitHubOAuthEnabled", false);
      await clear("GitHubClientSecret");
      expect(await secretsSet()).toEqual([]);
      await expect(clear("SystemName")).rejects.toMatchObject({ code: "invalid-input" });
      await close();
    });

    test("e-mails are verified by a mail server that asks for no log-in", async () => {
      const { save, options: inForce, close } = await openGateway(dialect);
      await save("SMTPServer", "mail.example");
      await expect(save("EmailVerificationEnabled", true)).rejects.toThrow("SMTP");
      await save("SMTPFrom", "gate@example.org");
      await save("EmailVerificationEnabled", true);
      expect(inForce.read("EmailVerificationEnabled")).toBe(true);
      await close();
    });

    test("a switch cannot be turned on before the options that it requires are set", async () => {
      const { save, options: inForce, close } = await openGateway(dialect);
      const needed: readonly [OptionName, readonly (readonly [OptionName, string])[]][] = [
        [
          "GitHubOAuthEnabled",
          [
            ["GitHubClientId", "id"],
            ["GitHubClientSecret", "s"],
          ],
        ],
        [
          "LinuxDOOAuthEnabled",
          [
            ["LinuxDOClientId", "id"],
            ["LinuxDOClientSecret", "s"],
          ],
        ],
        [
          "oidc.enabled",
          [
            ["oidc.client_id", "id"],
            ["oidc.client_secret", "s"],
          ],
        ],
        ["WeChatAuthEnabled", [["WeChatServerAddress", "https://wechat.example"]]],
        ["TelegramOAuthEnabled", [["TelegramBotToken", "1:a"]]],
        [
          "TurnstileCheckEnabled",
          [
            ["TurnstileSiteKey", "k"],
            ["TurnstileSecretKey", "s"],
          ],
        ],
        [
          "EmailVerificationEnabled",
          [
            ["SMTPServer", "mail.example"],
            ["SMTPAccount", "a@b.c"],
          ],
        ],
      ];
      for (const [key, settings] of needed) {
        for (const [name, value] of settings) {
          await expect(save(key, true), key).rejects.toMatchObject({ code: "invalid-input" });
          await save(name, value);
        }
        await save(key, true);
      }
      await expect(save("TurnstileSiteKey", "")).rejects.toThrow(
        "Turnstile 校验已启用，请先关闭校验再清空 Site Key",
      );
      await save("TurnstileCheckEnabled", false);
      await save("TurnstileSiteKey", "");
      await save("EmailDomainWhitelist", "");
      await expect(save("EmailDomainRestrictionEnabled", true)).rejects.toThrow(
        "无法启用邮箱域名限制，请先填入限制的邮箱域名！",
      );
      expect(inForce.read("GitHubOAuthEnabled")).toBe(true);
      expect(inForce.read("EmailDomainRestrictionEnabled")).toBe(false);
      await close();
    });

    test("a value that fails its test never takes effect", async () => {
      const { save, options: inForce, close } = await openGateway(dialect);
      await save("TurnstileSecretKey", "good");
      await expect(save("TurnstileSecretKey", refusedProbe)).rejects.toThrow("TurnstileSecretKey");
      expect(inForce.read("TurnstileSecretKey")).toBe("good");
      await save("TurnstileSecretKey", refusedProbe, probeToken);
      expect(inForce.read("TurnstileSecretKey")).toBe(refusedProbe);
      await close();
    });

    test("A-166 A-167: the relay searches for each line as a word as soon as it is saved", async () => {
      const { save, options: inForce, close } = await openGateway(dialect);
      const find = () => relayOptions(inForce).findWord;
      expect(find(), "nothing to look for costs nothing").toBeNull();

      await save("SensitiveWords", "first word\r\n\n 第二 \n");
      expect(["a First Word", "这是第二个", "neither"].map((text) => find()?.(text))).toEqual([
        true,
        true,
        false,
      ]);
      expect(find(), "made once").toBe(find());
      for (const name of ["CheckSensitiveEnabled", "CheckSensitiveOnPromptEnabled"] as const) {
        await save(name, false);
        expect([name, find()]).toEqual([name, null]);
        await save(name, true);
      }
      await close();
    });
  });
}
