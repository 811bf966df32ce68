import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import {
  type Answer,
  type OneApiConsole,
  openOneApiConsole,
  type Page,
} from "./one-api-console.ts";
import { answered, expectShape } from "./shapes.ts";

const said = ({ status, body: { success, message } }: Answer) => [status, success, message];
const refused = (message: string) => [200, false, message];
const done = [200, true, ""];

type Listed = { readonly key: string; readonly value: string };

/** The keys that one-api's consoles read and write, by settings page. */
const keys = {
  signIn:
    "PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled EmailVerificationEnabled " +
    "EmailDomainRestrictionEnabled EmailAliasRestrictionEnabled EmailDomainWhitelist " +
    "GitHubOAuthEnabled GitHubClientId LinuxDOOAuthEnabled LinuxDOClientId oidc.enabled " +
    "oidc.client_id oidc.well_known oidc.authorization_endpoint oidc.token_endpoint " +
    "oidc.user_info_endpoint WeChatAuthEnabled WeChatServerAddress WeChatAccountQRCodeImageURL " +
    "TelegramOAuthEnabled TelegramBotName TurnstileCheckEnabled TurnstileSiteKey " +
    "FileUploadPermission FileDownloadPermission ImageUploadPermission ImageDownloadPermission",
  mail: "SMTPServer SMTPAccount SMTPFrom SMTPPort SMTPSSLEnabled ServerAddress WorkerUrl",
  money:
    "QuotaPerUnit DisplayInCurrencyEnabled DisplayTokenStatEnabled QuotaForNewUser " +
    "QuotaForInviter QuotaForInvitee PreConsumedQuota QuotaRemindThreshold Price MinTopUp " +
    "PayAddress EpayId CustomCallbackAddress TopupGroupRatio TopUpLink GroupRatio " +
    "UserUsableGroups ModelRatio ModelPrice CompletionRatio CacheRatio",
  operation:
    "RetryTimes ChannelDisableThreshold AutomaticDisableChannelEnabled " +
    "AutomaticEnableChannelEnabled AutomaticDisableKeywords LogConsumeEnabled DataExportEnabled " +
    "DataExportInterval DataExportDefaultTime DefaultCollapseSidebar DrawingEnabled TaskEnabled " +
    "MjNotifyEnabled MjAccountFilterEnabled MjModeClearEnabled MjForwardUrlEnabled " +
    "MjActionCheckSuccessEnabled CheckSensitiveEnabled CheckSensitiveOnPromptEnabled " +
    "SensitiveWords StopOnSensitiveEnabled StreamCacheQueueLength Chats DemoSiteEnabled " +
    "SelfUseModeEnabled ModelRequestRateLimitEnabled ModelRequestRateLimitDurationMinutes " +
    "ModelRequestRateLimitCount ModelRequestRateLimitSuccessCount general_setting.docs_link",
  models:
    "global.pass_through_request_enabled claude.model_headers_settings claude.default_max_tokens " +
    "claude.thinking_adapter_enabled claude.thinking_adapter_budget_tokens_percentage " +
    "gemini.safety_settings gemini.version_settings",
  content: "Notice SystemName Logo Footer About HomePageContent",
};

const secrets =
  "GitHubClientSecret LinuxDOClientSecret oidc.client_secret WeChatServerToken TelegramBotToken " +
  "TurnstileSecretKey SMTPToken WorkerValidKey EpayKey";

/** The console pretty-prints these values, so they must be JSON. */
const jsonKeys =
  "ModelRatio ModelPrice CompletionRatio CacheRatio GroupRatio UserUsableGroups TopupGroupRatio Chats";

const split = (names: string): string[] => names.split(" ");

for (const dialect of testDialects) {
  describe(`options in the console API on ${dialect}`, () => {
    let site: OneApiConsole;
    let root: Page;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
      ({ root } = site);
    });
    afterAll(async () => await site.close());

    const list = async (): Promise<ReadonlyMap<string, string>> => {
      const rows = await root.data<Listed[]>("GET", "/api/option/");
      return new Map(rows.map(({ key, value }) => [key, value]));
    };
    const save = async (key: string, value: unknown): Promise<unknown[]> =>
      said(await root.put("/api/option/", { key, value }));

    test("A-340, A-342 to A-349, A-418: every key of one-api is listed once, and its value is a text", async () => {
      const { body } = await root.get("/api/option/");
      const option = z.strictObject({ key: z.string().min(1), value: z.string() });
      expectShape(answered(z.array(option), { secrets_set: z.array(z.string()) }), body);
      const rows = await root.data<Listed[]>("GET", "/api/option/");
      const listed = rows.map(({ key }) => key);
      expect(listed).toEqual([...new Set(listed)]);
      const wanted = Object.values(keys).flatMap(split);
      expect(wanted.filter((key) => !listed.includes(key))).toEqual([]);
      expect(split(secrets).filter((key) => listed.includes(key))).toEqual([]);
    });

    test("the console can parse the values: true and false, numbers, JSON", async () => {
      const values = await list();
      for (const [key, value] of values) {
        if (/Enabled$|^DefaultCollapseSidebar$/.test(key)) {
          expect([key, value]).toEqual([key, expect.stringMatching(/^(true|false)$/)]);
        }
      }
      for (const key of split(jsonKeys)) {
        expect(() => JSON.parse(values.get(key) ?? "")).not.toThrow();
      }
      for (const key of ["Price", "QuotaPerUnit", "MinTopUp", "RetryTimes", "SMTPPort"]) {
        expect([key, Number.isFinite(Number.parseFloat(values.get(key) ?? ""))]).toEqual([
          key,
          true,
        ]);
      }
    });

    test("A-174, A-419: a value is accepted as text, number or flag, and answered as text", async () => {
      const sent = [
        ["RetryTimes", 3, "3"],
        ["RetryTimes", "4", "4"],
        ["DisplayInCurrencyEnabled", false, "false"],
        ["DisplayInCurrencyEnabled", "true", "true"],
        ["ChannelDisableThreshold", 2.5, "2.5"],
        ["Price", "7.25", "7.25"],
        ["MinTopUp", 5, "5"],
        ["DataExportInterval", "1", "1"],
        ["DataExportDefaultTime", "day", "day"],
        ["SensitiveWords", "one\r\ntwo", "one\ntwo"],
        ["EmailDomainWhitelist", "a.example,b.example", "a.example,b.example"],
        ["TopupGroupRatio", '{"default":1,"vip":0.9}', '{\n  "default": 1,\n  "vip": 0.9\n}'],
        ["Notice", "", ""],
      ] as const;
      for (const [key, value, shown] of sent) {
        const answer = await root.put("/api/option/", { key, value });
        expect([key, answer.body]).toEqual([key, { success: true, message: "" }]);
        expect([key, (await list()).get(key)]).toEqual([key, shown]);
      }
    });

    test("A-165, A-168, A-173: switches of monitoring, dashboard and drawing save and read back", async () => {
      const flags =
        "AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled DataExportEnabled " +
        "DrawingEnabled MjNotifyEnabled MjAccountFilterEnabled MjModeClearEnabled " +
        "MjForwardUrlEnabled MjActionCheckSuccessEnabled CheckSensitiveEnabled SMTPSSLEnabled";
      const before = await list();
      for (const key of split(flags)) {
        const other = before.get(key) === "true" ? "false" : "true";
        expect([key, ...(await save(key, other))]).toEqual([key, ...done]);
      }
      const after = await list();
      for (const key of split(flags)) {
        expect([key, after.get(key)]).not.toEqual([key, before.get(key)]);
      }
    });

    test("A-168: the dashboard says after how many minutes it is to be read again", async () => {
      for (const minutes of ["12", "5"]) {
        expect(await save("DataExportInterval", minutes)).toEqual(done);
        const { body } = await root.get("/api/dashboard/");
        expect(body["data"]).toMatchObject({ refresh_minutes: Number(minutes) });
      }
    });

    test("A-209 to A-213, A-190, A-201: JSON of the wrong shape is refused and not stored", async () => {
      const before = await list();
      for (const key of split(jsonKeys)) {
        for (const value of ["{", "", "[1]", '"x"', "null"]) {
          const [status, success] = await save(key, value);
          expect([key, value, status, success]).toEqual([key, value, 200, false]);
        }
      }
      expect((await save("GroupRatio", '{"vip":-1}'))[1]).toBe(false);
      expect(await list()).toEqual(before);
    });

    test("A-169, A-172, A-191: values out of range and unknown keys are refused and named", async () => {
      for (const [key, value] of [
        ["MinTopUp", "0"],
        ["DataExportInterval", "0"],
        ["DataExportDefaultTime", "minute"],
        ["RetryTimes", "x"],
        ["Price", "-1"],
        ["QuotaForNewUser", "1.5"],
        ["QuotaForNewUser", "9007199254740993"],
        ["NoSuchOption", "1"],
      ] as const) {
        const answer = await root.put("/api/option/", { key, value });
        expect([key, value, answer.status, answer.body.success]).toEqual([key, value, 200, false]);
        expect(answer.body.message).toContain(key);
      }
    });

    test("a switch that needs other options first says so in one-api's words", async () => {
      const needs = [
        [
          "GitHubOAuthEnabled",
          "无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！",
        ],
        ["WeChatAuthEnabled", "无法启用微信登录，请先填入微信登录相关配置信息！"],
        ["TelegramOAuthEnabled", "无法启用 Telegram OAuth，请先填入 Telegram Bot Token！"],
        ["TurnstileCheckEnabled", "无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！"],
      ] as const;
      for (const [key, message] of needs) {
        expect(await save(key, "true")).toEqual(refused(message));
        // The switch can always be turned off, whatever other options are missing.
        expect(await save(key, "false")).toEqual(done);
      }
      await save("EmailDomainWhitelist", "");
      expect(await save("EmailDomainRestrictionEnabled", true)).toEqual(
        refused("无法启用邮箱域名限制，请先填入限制的邮箱域名！"),
      );
    });

    test("A-184: a secret is saved, never answered, and stays when an empty one is sent", async () => {
      for (const key of split(secrets)) {
        // This key is left out here, because the server tries it out and refuses it if it fails.
        // The bot check's tests cover it.
        if (key === "TurnstileSecretKey") continue;
        expect([key, ...(await save(key, "s3cret-value"))]).toEqual([key, ...done]);
        expect([key, ...(await save(key, ""))]).toEqual([key, ...done]);
      }
      expect((await root.get("/api/option/")).text).not.toContain("s3cret-value");
      await save("GitHubClientId", "id");
      expect(await save("GitHubOAuthEnabled", true)).toEqual(done);
    });

    // A check that Cloudflare refuses, or for which Cloudflare cannot be reached, would keep
    // everybody from signing in.
    test("a bot check that fails its own test stays off, and the answer says why", async () => {
      for (const [key, value] of [
        ["TurnstileSiteKey", "site"],
        ["TurnstileSecretKey", "s3cret"],
      ] as const) {
        expect(await save(key, value)).toEqual(done);
      }
      const [status, success, message] = await save("TurnstileCheckEnabled", true);
      expect([status, success]).toEqual([200, false]);
      expect(message).toMatch(/无法连接 Turnstile|Secret Key 不正确/);
      expect((await list()).get("TurnstileCheckEnabled")).toBe("false");
    });

    test("many saves at the same time, as pages send them, are all stored", async () => {
      const sent = [
        ["QuotaForNewUser", "11"],
        ["QuotaForInviter", "12"],
        ["QuotaForInvitee", "13"],
        ["PreConsumedQuota", "14"],
        ["QuotaRemindThreshold", "15"],
        ["ModelPrice", '{"a":1}'],
        ["ModelRatio", '{"b":2}'],
        ["CompletionRatio", '{"b":3}'],
        ["GroupRatio", '{"default":1,"vip":4}'],
      ] as const;
      const answers = await Promise.all(sent.map(([key, value]) => save(key, value)));
      expect(answers).toEqual(sent.map(() => done));
      const after = await list();
      for (const [key, value] of sent) {
        expect([key, JSON.parse(after.get(key) ?? "null")]).toEqual([key, JSON.parse(value)]);
      }
    });

    test("A-222, A-420: resetting the ratios answers one-api's words and restores the default table", async () => {
      await save("ModelRatio", '{"mine":1}');
      const answer = await root.post("/api/option/rest_model_ratio/");
      expect(said(answer)).toEqual([200, true, "重置模型倍率成功"]);
      const table: unknown = JSON.parse((await list()).get("ModelRatio") ?? "");
      expect(table).toMatchObject({ "gpt-4o": 1.25 });
      expect(table).not.toMatchObject({ mine: 1 });
    });

    // Without a ratio, all calls of a group would be refused, and root would not learn why.
    test("a group that is in use keeps its ratio, and the refusal names it", async () => {
      const ratios = { default: 1, vip: 1, svip: 1, staff: 1, spare: 1 };
      const saveRatios = async (left: object) =>
        await root.put("/api/option/", { key: "GroupRatio", value: JSON.stringify(left) });
      await saveRatios(ratios);
      await root.data("POST", "/api/user/", { username: "member", password: "password of member" });
      const found = await root.data<{ items: { id: number }[] }>(
        "GET",
        "/api/user/search?keyword=member",
      );
      const [member] = found.items;
      await root.data("PUT", "/api/user/", { id: member?.id, username: "member", group: "staff" });
      await root.data("POST", "/api/channel/", {
        name: "grouped",
        type: 1,
        key: "sk-upstream",
        models: "m",
        group: "default,svip",
      });
      await root.data("POST", "/api/token/", {
        name: "grouped",
        group: "vip",
        expired_time: -1,
        unlimited_quota: true,
      });
      const before = await list();

      const [, done, message] = said(await saveRatios({ default: 1 }));
      expect(done).toBe(false);
      for (const named of ["staff（用户）", "vip（令牌）", "svip（渠道）"]) {
        expect(message).toContain(named);
      }
      expect(message).not.toContain("spare");
      expect((await saveRatios({ ...ratios, default: undefined })).body).toMatchObject({
        success: false,
        message: expect.stringContaining("default"),
      });
      expect(await list()).toEqual(before);
      const { spare: _, ...kept } = ratios;
      expect((await saveRatios(kept)).body).toMatchObject({ success: true });
    });
  });
}
