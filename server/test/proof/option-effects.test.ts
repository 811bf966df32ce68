import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addToken, addUser, type ConsoleClient } from "#test/console.ts";
import { balanceOf } from "./ledger.ts";
import { chat } from "./chat-call.ts";
import { type Installation, openInstallation, setOption } from "./installation.ts";

/** A call has 17 input and 20 output tokens. */
const model = { name: "effects", script: { promptTokens: 17, events: 20 }, ratio: 1 };
const opening = 10_000_000;

for (const dialect of testDialects) {
  describe(`an option on ${dialect} is in force with the answer to its save:`, () => {
    let place: Installation;
    let user: ConsoleClient;
    let key: string;
    let vipKey: string;
    beforeAll(async () => {
      place = await openInstallation(dialect, {
        models: [model],
        channel: { group: "default,vip" },
      });
      user = await addUser(place.root, place.origin, opening);
      key = (await addToken(user)).key;
      vipKey = (await addToken(user, { group: "vip" })).key;
    });
    afterAll(async () => await place.close());

    const save = async (name: string, value: object | string): Promise<void> =>
      await setOption(place.root, name, typeof value === "string" ? value : JSON.stringify(value));
    const call = async (by = key, content = "hi") =>
      await chat(place.origin, { key: by, model: model.name, stream: false, content });
    /** Makes a call. Returns how many quota units it cost. */
    const costOf = async (by = key): Promise<number> => {
      const before = await balanceOf(user);
      expect((await call(by)).status).toBe(200);
      return before - (await balanceOf(user));
    };

    test("A-204 A-205 A-206 A-207 prices", async () => {
      await save("ModelRatio", { [model.name]: 2 });
      expect(await costOf()).toBe((17 + 20) * 2);
      await save("CompletionRatio", { [model.name]: 3 });
      expect(await costOf()).toBe((17 + 20 * 3) * 2);
      await save("GroupRatio", { default: 1, vip: 0.5 });
      expect(await costOf(vipKey)).toBe(17 + 20 * 3);
      await save("ModelPrice", { [model.name]: 0.002 });
      expect(await costOf()).toBe(1_000);
      await save("ModelPrice", {});
    });

    test("errors of calls are in English, of the console API in Chinese, and then as root has chosen", async () => {
      const relayError = async () => (await call("sk-unknown")).text;
      const consoleError = async () => await (await fetch(`${place.origin}/api/user/self`)).text();
      expect(await relayError()).toContain('"Invalid API key (request id:');
      expect(await consoleError()).toContain("无权进行此操作");
      await save("ApiErrorLanguage", "en");
      expect(await consoleError()).toContain("Not allowed: ");
      // The tests below are those of the Chinese texts that the requirements quote.
      await save("ApiErrorLanguage", "zh");
      expect(await relayError()).toContain('"无效的令牌 (request id:');
      expect(await consoleError()).toContain("无权进行此操作");
    });

    test("A-208 groups users may choose, and the ones that are gone", async () => {
      const groups = async () =>
        Object.keys(await user.call<object>("GET", "/api/user/self/groups")).toSorted();
      await save("UserUsableGroups", { vip: "for friends" });
      expect(await groups()).toEqual(["default", "vip"]);
      expect((await call(vipKey)).status).toBe(200);

      await save("UserUsableGroups", {});
      expect(await groups()).toEqual(["default"]);
      const refused = await call(vipKey);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("令牌分组 vip 已被禁用"),
      ]);

      await save("UserUsableGroups", { vip: "for friends" });
      await expect(save("GroupRatio", { default: 1 })).rejects.toThrow("vip（令牌");
      expect((await call(vipKey)).status).toBe(200);
    });

    test("A-289 A-290 what a channel's groups leave a user", async () => {
      await place.root.call("PUT", "/api/channel/", { id: place.channelId, group: "vip" });
      const refused = await call();
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("Your group is not authorized to use this model"),
      ]);
      await place.root.call("PUT", "/api/channel/", { id: place.channelId, group: "default,vip" });
    });

    test("A-167 sensitive words", async () => {
      await save("SensitiveWords", "first word\n第二");
      for (const prompt of ["the FIRST word", "这是第二个"]) {
        const refused = await call(key, prompt);
        expect([refused.status, refused.text]).toEqual([
          400,
          expect.stringContaining("sensitive_words_detected"),
        ]);
      }
      expect((await call(key, "a word, the first")).status).toBe(200);
      await save("CheckSensitiveEnabled", "false");
      expect((await call(key, "the first word")).status).toBe(200);
    });

    test("A-194 A-195 A-198 A-199 content that visitors see", async () => {
      const read = async (path: string): Promise<unknown> =>
        Object((await (await fetch(`${place.origin}/api/${path}`)).json()) as unknown).data;
      await save("Notice", "down at 8");
      await save("About", "https://about.example/");
      await save("HomePageContent", "# Hi");
      await save("SystemName", "Gate");
      expect(await Promise.all(["notice", "about", "home_page_content"].map(read))).toEqual([
        "down at 8",
        "https://about.example/",
        "# Hi",
      ]);
      expect(await read("status")).toMatchObject({ system_name: "Gate" });
    });

    test("A-222 A-420 resetting the model ratios", async () => {
      await place.root.call("POST", "/api/option/rest_model_ratio");
      // The default price list does not contain the model, so no price is guessed for it.
      expect((await call()).text).toContain("倍率或价格未配置");
    });
  });
}
