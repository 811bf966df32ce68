/**
 * A session of Gemini's Live API in the built product: Google's SDK, rows, charges, and the audit.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { GoogleGenAI, Modality } from "@google/genai";
import { runCommand } from "#test/gateway.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { balanceOf, eventually, readLogs } from "./ledger.ts";

const gemini = 24;
const cost = 100 * 2 + 5 * 80;
const quota = 10_000_000;

let place: Installation;
let spender: Spender;
beforeAll(async () => {
  const script = { events: 5, promptTokens: 100 };
  const models = [{ name: "live-model", script, ratio: 2, completionRatio: 4 }];
  place = await openInstallation("sqlite", { models, channel: { type: gemini } });
  spender = await addSpender(place, quota);
});
afterAll(async () => await place.close());

test("each turn of a session is a row, the rows are what the balance lost, and the audit agrees", async () => {
  const ai = new GoogleGenAI({ apiKey: spender.key, httpOptions: { baseUrl: place.origin } });
  let turns = 0;
  let isClosed = false;
  const session = await ai.live.connect({
    model: "live-model",
    config: { responseModalities: [Modality.AUDIO] },
    callbacks: {
      onmessage: ({ serverContent }) =>
        void (turns += serverContent?.turnComplete === true ? 1 : 0),
      onclose: () => void (isClosed = true),
    },
  });
  for (const count of [1, 2]) {
    session.sendClientContent({ turns: "hello" });
    await eventually(
      async () => turns,
      (seen) => seen === count,
      { what: "turns" },
    );
    expect(await readLogs(place.root, { model: "live-model" })).toHaveLength(count);
  }
  session.close();
  await eventually(
    async () => isClosed,
    (seen) => seen,
    { what: "the session has ended" },
  );

  const rows = await readLogs(place.root, { model: "live-model" });
  expect(
    rows.map((row) => [row.type, row.quota, row.prompt_tokens, row.completion_tokens]),
  ).toEqual([
    [2, cost, 100, 5],
    [2, cost, 100, 5],
  ]);
  expect(new Set(rows.map((row) => row.request_id)).size).toBe(2);
  await eventually(
    async () => await balanceOf(spender.client),
    (balance) => balance === quota - 2 * cost,
    { what: "the balance" },
  );
  expect(await place.gateway().stop("SIGINT")).toBe(0);
  const audit = await runCommand(place.home, ["audit"]);
  expect(audit.code, audit.output).toBe(0);
});
