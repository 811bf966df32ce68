import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { testDialects } from "#db/testing/database.ts";
import { addUser, type ConsoleClient } from "#test/console.ts";
import { runCommand } from "#test/gateway.ts";
import { addQuota, balanceOf, eventually, readLogs, readSelf } from "./ledger.ts";
import { errorOf, eventsOf, isDone, isWhole, requestIdOf } from "./chat-call.ts";
import { lastCallId } from "./demo-process.ts";
import { type Installation, openInstallation } from "./installation.ts";
import { type RawAnswer, type RawOptions, sendRaw } from "./raw-call.ts";

/** A call has 17 + 20 tokens and costs (17 + 20 × 3) × 2 = 154 units. */
const byTokens = {
  name: "play-tokens",
  script: { promptTokens: 17, events: 20, eventDelayMs: 5 },
  ratio: 2,
  completionRatio: 3,
};
const wholeCharge = 154;
const perCall = { name: "play-fixed", script: { headDelayMs: 300 }, perCall: 7_000 };
const opening = 1_000_000;

/** Headers of a signed-in browser. */
type Browser = { readonly client: ConsoleClient; readonly headers: Record<string, string> };

for (const dialect of testDialects) {
  describe(dialect, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, {
        models: [byTokens, perCall],
        channel: { group: "default,vip" },
      });
    });
    afterAll(async () => await place.close());

    async function openBrowser(quota = opening): Promise<Browser> {
      const client = await addUser(place.root, place.origin, quota);
      const { username } = await readSelf(client);
      const response = await fetch(`${place.origin}/api/user/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username, password: "a long enough password" }),
      });
      const cookie = response.headers.getSetCookie().map((one) => one.split(";")[0]);
      const headers = {
        "content-type": "application/json",
        cookie: cookie.join("; "),
        "new-api-user": String(client.userId),
      };
      return { client, headers };
    }

    type Asked = {
      readonly body?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly options?: RawOptions;
    };

    async function play({ headers }: Browser, asked: Asked = {}): Promise<RawAnswer> {
      const body = JSON.stringify({
        model: byTokens.name,
        messages: [{ role: "user", content: "你好" }],
        stream: true,
        group: "",
        max_tokens: 0,
        temperature: 0,
        ...asked.body,
      });
      const request = {
        path: "/pg/chat/completions",
        headers: { ...headers, ...asked.headers },
        body,
      };
      return await sendRaw(place.origin, request, asked.options ?? {}).answer;
    }

    async function rowOf({ client }: Browser, requestId: string): Promise<OwnLog | undefined> {
      const path = `/api/log/self/?request_id=${encodeURIComponent(requestId)}`;
      const { items, total } = await client.call<{ items: OwnLog[]; total: number }>("GET", path);
      expect(total).toBe(items.length);
      expect(items.length).toBeLessThanOrEqual(1);
      return items[0];
    }

    for (const stream of [true, false]) {
      test(`O-542 O-545: a ${stream ? "stream" : "call"} is whole, charged once and exactly, on no token`, async () => {
        const browser = await openBrowser();
        await play(browser, { body: { stream } });
        const answer = await play(browser, { body: { stream } });
        expect(isWhole(answer, stream), answer.text.slice(-500)).toBe(true);
        if (stream) {
          expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
          expect(answer.headers.get("cache-control")).toBe("no-store");
          expect(answer.headers.get("x-accel-buffering")).toBe("no");
        }
        expect(answer.headers.has("access-control-allow-origin")).toBe(false);
        // The log row is written before the last byte of the answer, so the test need not wait.
        expect(await rowOf(browser, requestIdOf(answer))).toMatchObject({
          type: 2,
          quota: wholeCharge,
          prompt_tokens: 17,
          completion_tokens: 20,
          token_id: 0,
          token_name: "playground-default",
          group: "default",
          model_name: byTokens.name,
          usage_source: "upstream",
          is_stream: stream,
        });
        const self = await readSelf(browser.client);
        expect(self.quota).toBe(opening - 2 * wholeCharge);
        expect(self.used_quota).toBe(2 * wholeCharge);
        expect(self.request_count).toBe(2);
      });
    }

    test("the chosen group's ratio decides what is charged", async () => {
      const browser = await openBrowser();
      const options = await place.root.call<{ key: string; value: string }[]>(
        "GET",
        "/api/option/",
      );
      const ratios = JSON.parse(options.find(({ key }) => key === "GroupRatio")?.value ?? "{}");
      const value = JSON.stringify({ ...ratios, default: 1, vip: 0.5 });
      await place.root.call("PUT", "/api/option/", { key: "GroupRatio", value });
      const answer = await play(browser, { body: { group: "vip" } });
      expect(isDone(answer.text), answer.text).toBe(true);
      expect(await rowOf(browser, requestIdOf(answer))).toMatchObject({
        quota: wholeCharge / 2,
        group: "vip",
        token_name: "playground-vip",
      });
      expect(await balanceOf(browser.client)).toBe(opening - wholeCharge / 2);
    });

    test("a browser that disconnects pays once for what arrived", async () => {
      const browser = await openBrowser();
      const answer = await play(browser, {
        options: { leaveWhen: ({ text }) => text().split('"content":').length > 4 },
      });
      expect(answer.complete).toBe(false);
      const { username } = await readSelf(browser.client);
      const [row, ...more] = await eventually(
        () => readLogs(place.root, { type: 2, username }),
        (rows) => rows.length > 0,
        { what: "the charge of a stream that was left" },
      );
      expect(more).toEqual([]);
      expect(row?.quota).toBeGreaterThan(0);
      expect(row?.quota).toBeLessThanOrEqual(wholeCharge);
      expect(await balanceOf(browser.client)).toBe(opening - (row?.quota ?? 0));
    });

    test("a balance of three calls serves three of twelve at once and ends at 0", async () => {
      const browser = await openBrowser(3 * 7_000);
      const asked = { body: { model: perCall.name } };
      const answers = await Promise.all(Array.from({ length: 12 }, () => play(browser, asked)));
      expect(answers.filter((answer) => isWhole(answer, true)).length).toBe(3);
      const refused = answers.filter(({ status }) => status === 403);
      expect(refused.length).toBe(9);
      expect(refused.map((answer) => errorOf(answer)?.code)).toEqual(
        Array(9).fill("insufficient_user_quota"),
      );
      expect(await balanceOf(browser.client)).toBe(0);
    });

    test("P-A7 O-543: without session or user id, or from a foreign page, nothing is served", async () => {
      const browser = await openBrowser();
      const token = await browser.client.call<string>("GET", "/api/user/token");
      const before = await lastCallId(place.demo);
      const { cookie: _, ...withoutCookie } = browser.headers;
      const cases: [Browser, Asked, number, string][] = [
        [{ ...browser, headers: withoutCookie }, {}, 401, "not_signed_in"],
        [browser, { headers: { "new-api-user": "" } }, 401, "not_signed_in"],
        [browser, { headers: { "new-api-user": "1" } }, 401, "not_signed_in"],
        [browser, { headers: { origin: "https://evil.example" } }, 403, "foreign_origin"],
        [browser, { headers: { "sec-fetch-site": "cross-site" } }, 403, "foreign_origin"],
        [
          { ...browser, headers: { ...withoutCookie, authorization: `Bearer ${token}` } },
          {},
          403,
          "session_required",
        ],
        [browser, { body: { group: "svip-of-others" } }, 403, "group_not_allowed"],
        [browser, { body: { model: "" } }, 400, "model_required"],
        [browser, { body: { model: "of-nobody" } }, 500, "get_playground_channel_failed"],
      ];
      for (const [who, asked, status, code] of cases) {
        const answer = await play(who, asked);
        expect([answer.status, errorOf(answer)?.code]).toEqual([status, code]);
      }
      expect((await place.demo.account(before)).calls).toEqual([]);
      expect(await balanceOf(browser.client)).toBe(opening);
    });

    test("O-546: an upstream that breaks ends the stream with an error event and its request id", async () => {
      const browser = await openBrowser();
      await place.demo.script(byTokens.name, { ...byTokens.script, cut: { after: 5, how: "fin" } });
      const answer = await play(browser);
      await place.demo.script(byTokens.name, byTokens.script);
      expect(answer.status).toBe(200);
      expect(eventsOf(answer.text)).not.toContain("[DONE]");
      expect(errorOf(answer)?.message).toContain(requestIdOf(answer));
      const row = await rowOf(browser, requestIdOf(answer));
      expect(row?.quota).toBe(((row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0) * 3) * 2);
      expect(await balanceOf(browser.client)).toBe(opening - (row?.quota ?? 0));
    });

    test("after all these calls the audit passes", async () => {
      const browser = await openBrowser();
      await addQuota(place.root, browser.client.userId, 5);
      await play(browser);
      await place.gateway().stop("SIGINT");
      const audit = await runCommand(place.home, ["audit"]);
      expect(audit, audit.output).toMatchObject({ code: 0 });
    });
  });
}
