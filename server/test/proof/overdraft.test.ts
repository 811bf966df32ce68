import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addChannel } from "#test/console.ts";
import type { RawAnswer } from "./raw-call.ts";
import { balanceOf, eventually, readLogs, readSelf, readToken, sumOf } from "./ledger.ts";
import { chatUntilBilled, errorOf, eventsOf, isDone, isWhole, requestIdOf } from "./chat-call.ts";
import { lastCallId } from "./demo-process.ts";
import {
  addModels,
  addSpender,
  type Installation,
  openInstallation,
  type Spender,
} from "./installation.ts";
import { sampleBalance } from "./samples.ts";

const callsAtOnce = 200;

/** A model with a fixed price: 7,000 units a call. */
const perCall = { name: "over-fixed", script: { headDelayMs: 300 }, perCall: 7_000 };
/**
 * 40 output tokens at 25 units, 40 bytes of text. An input token costs a millionth of a unit, so the
 * input rounds to nothing: hold and charge are both 1,000 units.
 */
const byTokens = {
  name: "over-tokens",
  script: { headDelayMs: 300, promptTokens: 2, events: 40, piece: "ab " },
  ratio: 0.000001,
  completionRatio: 25_000_000,
};
/** The same model under another name, for a channel that raises `max_tokens` to 40. */
const raised = { ...byTokens, name: "over-raised" };
/**
 * A model that ignores limits: the call asks for 100 tokens, but the upstream would send 6,000
 * within a minute. A token costs 10 units.
 */
const talkative = {
  name: "over-talkative",
  script: { promptTokens: 9, events: 6_000, eventDelayMs: 10, ignoreMaxTokens: true },
  ratio: 1,
  completionRatio: 10,
};
/**
 * The same upstream with words of one letter. An estimate by the text's length counts fewer tokens
 * than the upstream does.
 */
const terse = { ...talkative, name: "over-terse", script: { ...talkative.script, piece: " a" } };

for (const dialect of testDialects) {
  describe(dialect, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [perCall, byTokens, talkative, terse] });
    });
    afterAll(async () => await place.close());

    type Asked = { readonly model: string; readonly stream: boolean; readonly maxTokens: number };

    async function callAtOnce(spender: Spender, asked: Asked): Promise<RawAnswer[]> {
      const { model, stream, maxTokens } = asked;
      return await Promise.all(
        Array.from({ length: callsAtOnce }, () =>
          chatUntilBilled(place.origin, {
            key: spender.key,
            model,
            stream,
            marker: `over-${spender.tokenId}`,
            body: { max_tokens: maxTokens },
          }),
        ),
      );
    }

    for (const { name, charge } of [
      { name: perCall.name, charge: 7_000 },
      { name: byTokens.name, charge: 1_000 },
    ]) {
      for (const stream of [false, true]) {
        const how = stream ? "streams" : "calls";
        test(`a balance of ten ${name} serves ten of 200 ${how} at once and ends at 0`, async () => {
          const spender = await addSpender(place, 10 * charge);
          const before = await lastCallId(place.demo);
          const sampler = sampleBalance(spender.client);
          const answers = await callAtOnce(spender, { model: name, stream, maxTokens: 40 });
          const samples = await sampler.stop();
          const { calls } = await place.demo.account(before);
          expect(calls.length).toBe(10);
          expect(answers.filter((answer) => isWhole(answer, stream)).length).toBe(10);
          expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
          expect(Math.min(...samples)).toBeGreaterThanOrEqual(0);
          expect(await balanceOf(spender.client)).toBe(0);
          const rows = await readLogs(place.root, {
            type: 2,
            username: (await readSelf(spender.client)).username,
          });
          expect(rows.map(({ quota }) => quota)).toEqual(Array(10).fill(charge));
          const refused = answers.find(({ status }) => status === 403);
          expect(refused && errorOf(refused)?.code).toBe("insufficient_user_quota");
        });

        test(`a token good for ten ${name} serves ten of 200 ${how} at once`, async () => {
          const spender = await addSpender(place, 1_000 * charge, {
            unlimited_quota: false,
            remain_quota: 10 * charge,
          });
          const before = await lastCallId(place.demo);
          const answers = await callAtOnce(spender, { model: name, stream, maxTokens: 40 });
          const { calls } = await place.demo.account(before);
          expect(calls.length).toBe(10);
          expect(answers.filter((answer) => isWhole(answer, stream)).length).toBe(10);
          const token = await readToken(spender.client, spender.tokenId);
          expect(token.remain_quota).toBe(0);
          expect(token.used_quota).toBe(10 * charge);
          expect(await balanceOf(spender.client)).toBe(990 * charge);
          // A call is refused with 403 while the token has some quota left, though too little, and
          // with 401 once it has none.
          const statuses = new Set(answers.map(({ status }) => status));
          expect([...statuses].every((status) => [200, 401, 403].includes(status))).toBe(true);
        });
      }
    }

    test("a channel that raises the output limit serves no call that cannot pay for what is sent", async () => {
      const { name } = raised;
      const param_override = JSON.stringify({ max_tokens: 40 });
      await addModels(place.root, place.demo, [raised]);
      await addChannel(place.root, { base_url: place.demo.url, models: name, param_override });
      const charge = 1_000;
      const spender = await addSpender(place, 10 * charge);
      const before = await lastCallId(place.demo);
      // Each call asks for one token; the balance pays for 400 tokens.
      const answers = await callAtOnce(spender, { model: name, stream: false, maxTokens: 1 });
      const { calls } = await place.demo.account(before);
      const served = answers.filter((answer) => isWhole(answer, false)).length;

      expect(served).toBeGreaterThan(0);
      expect(served).toBeLessThanOrEqual(10);
      expect(calls.length).toBe(served);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
      const { username } = await readSelf(spender.client);
      const rows = await readLogs(place.root, { type: 2, username });
      const told = rows.map(({ quota, write_off }) => [quota, write_off]);
      expect(told).toEqual(Array(served).fill([charge, 0]));
      expect(await balanceOf(spender.client)).toBe((10 - served) * charge);
    });

    test.each([
      { how: "in words", model: talkative.name },
      { how: "in letters", model: terse.name },
    ])("answers sixty times as long as asked for, $how, never go below 0", async ({ model }) => {
      // A call holds 100 output tokens at 10 units, and for the input half the bytes of the body,
      // which is less than 100 units. The balance pays for some 10,000 of the 1,200,000 tokens that
      // the answers would have.
      const opening = 101 * 1_100;
      const spender = await addSpender(place, opening);
      const before = await lastCallId(place.demo);
      const sampler = sampleBalance(spender.client);
      const answers = await callAtOnce(spender, {
        model,
        stream: true,
        maxTokens: 100,
      });
      const { username } = await readSelf(spender.client);
      const { calls } = await place.demo.account(before);
      const rows = await eventually(
        () => readLogs(place.root, { type: 2, username }),
        (found) => found.length >= calls.length,
        { what: "log rows of cut streams" },
      );
      const samples = await sampler.stop();
      expect(Math.min(...samples)).toBeGreaterThanOrEqual(0);

      const served = answers.filter(({ status }) => status === 200);
      expect(served.length).toBe(calls.length);
      const cut = served.filter((answer) => !isDone(answer.text));
      expect(cut.length).toBeGreaterThan(0);
      for (const answer of cut) {
        expect(answer.complete).toBe(true);
        expect(errorOf(answer)?.code).toBe("insufficient_user_quota");
        expect(eventsOf(answer.text)).not.toContain("[DONE]");
      }
      const ids = rows.map(({ request_id }) => request_id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.toSorted()).toEqual(served.map(requestIdOf).toSorted());

      const charged = sumOf(rows);
      const writtenOff = rows.reduce((sum, row) => sum + row.write_off, 0);
      expect(await balanceOf(spender.client)).toBe(opening - charged);
      expect(writtenOff).toBeLessThanOrEqual(charged / 1_000);
    });
  });
}
