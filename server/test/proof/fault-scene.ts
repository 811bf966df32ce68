/**
 * Calls to upstreams that fail, and their results: what the client sees, and what the ledger says.
 */

import { expect } from "bun:test";
import type { Log } from "@tollgate/contract/endpoints/logs.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { addChannel } from "#test/console.ts";
import { eventually, readLogs } from "./ledger.ts";
import { chat, errorOf, eventsOf, isWhole, requestIdOf } from "./chat-call.ts";
import { addModels, type Installation, type Spender } from "./installation.ts";
import type { RawAnswer, RawOptions } from "./raw-call.ts";

/** Prices of all models in this file: an input token costs 2 units, an output token 6. */
const prices = { ratio: 2, completionRatio: 3 } as const;
/**
 * The usage that the upstream reports in good answers: 17 + 20 tokens, which cost (17 + 20 × 3) × 2
 * = 154 units.
 */
const whole = { promptTokens: 17, events: 20 } as const;
export const wholeCharge = 154;

/** The channels' key. No client may see it. */
const channelKey = "sk-upstream-0001";

export type Scene = { readonly place: Installation; readonly spender: Spender };

let models = 0;

type ChannelPlan = {
  /** Time limits of the channel, in milliseconds. */
  readonly setting?: Readonly<Record<string, number>>;
  readonly base_url?: string;
};

/** Makes a model with this script on its own channel. @returns its name. */
export async function addScripted(
  { place }: Scene,
  script: DemoScript,
  plan: ChannelPlan = {},
): Promise<string> {
  models += 1;
  const name = `scripted-${models}`;
  await addModels(place.root, place.demo, [{ name, script: { ...whole, ...script }, ...prices }]);
  await addChannel(place.root, {
    base_url: plan.base_url ?? place.demo.url,
    models: name,
    key: channelKey,
    ...(plan.setting === undefined ? {} : { setting: JSON.stringify(plan.setting) }),
  });
  return name;
}

/** Makes a model whose first channel plays `script` and whose second one works. */
export async function addWithFallback(
  { place }: Scene,
  script: DemoScript,
): Promise<{ readonly model: string; readonly soundChannelId: number }> {
  models += 1;
  const model = `fallback-${models}`;
  const broken = `${model}-broken`;
  await place.demo.script(broken, { ...whole, ...script });
  await addModels(place.root, place.demo, [{ name: model, script: whole, ...prices }]);
  const channel = { base_url: place.demo.url, models: model, key: channelKey };
  const model_mapping = JSON.stringify({ [model]: broken });
  await addChannel(place.root, { ...channel, priority: 10, model_mapping });
  return { model, soundChannelId: await addChannel(place.root, channel) };
}

export async function ask(
  { place, spender }: Scene,
  model: string,
  stream: boolean,
  options: RawOptions & { readonly body?: Readonly<Record<string, unknown>> } = {},
): Promise<RawAnswer> {
  const { body = {}, ...raw } = options;
  return await chat(place.origin, { key: spender.key, model, stream, body }, raw);
}

/** Reads the log rows of the model's charged calls. */
export async function chargesOf({ place }: Scene, model: string): Promise<Log[]> {
  return await readLogs(place.root, { type: 2, model });
}

/** Reads the only log row of a model's only call. */
export async function chargeOf(scene: Scene, model: string): Promise<Log> {
  const rows = await eventually(
    () => chargesOf(scene, model),
    (found) => found.length > 0,
    { what: `the charge of ${model}` },
  );
  expect(rows.length).toBe(1);
  const [row] = rows;
  if (row === undefined) throw new Error("no row");
  return row;
}

/**
 * Checks that the client did not learn the upstream's address, its key or what its error pages say.
 */
export function expectNothingLeaked({ place }: Scene, { text, headers }: RawAnswer): void {
  const { host } = new URL(place.demo.url);
  for (const secret of [host, channelKey, "demo-filler", "<html", "<body"]) {
    expect(text).not.toContain(secret);
  }
  const names = [...headers.keys()];
  for (const name of ["set-cookie", "location", "server", "x-demo-filler"]) {
    expect(names).not.toContain(name);
  }
}

/** Checks a refusal before any content: one small JSON error in OpenAI's format, and free. */
export async function expectFreeError(
  scene: Scene,
  model: string,
  answer: RawAnswer,
  statuses: readonly number[],
): Promise<void> {
  expect(statuses, answer.text.slice(0, 500)).toContain(answer.status);
  expect(answer.complete).toBe(true);
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  expect(answer.bodyBytes).toBeLessThanOrEqual(4_096);
  const error = errorOf(answer);
  expect(error?.message).toBeString();
  expect(error?.type).toBeString();
  expect(error?.code).toBeString();
  expect(requestIdOf(answer)).not.toBe("");
  expectNothingLeaked(scene, answer);
  expect(await chargesOf(scene, model)).toEqual([]);
}

/** Checks a broken stream: an error event instead of `[DONE]`, and the content is charged. */
export async function expectBrokenStream(
  scene: Scene,
  model: string,
  answer: RawAnswer,
): Promise<Log> {
  expect(answer.status).toBe(200);
  expect(answer.complete).toBe(true);
  expect(errorOf(answer)?.message, answer.text.slice(-500)).toBeString();
  expect(eventsOf(answer.text)).not.toContain("[DONE]");
  expectNothingLeaked(scene, answer);
  const row = await chargeOf(scene, model);
  expect(row.request_id).toBe(requestIdOf(answer));
  expectFormula(row);
  expect(row.quota).toBeGreaterThan(0);
  return row;
}

/** Checks that the charge follows from the counts in the row. */
export function expectFormula(row: Log): void {
  expect(row.quota).toBe((row.prompt_tokens + row.completion_tokens * 3) * 2);
  expect(row.write_off).toBe(0);
}

/** Checks that the answer is good and whole, and that it was charged once. */
export async function expectWhole(
  scene: Scene,
  model: string,
  answer: RawAnswer,
  { stream, charge = wholeCharge }: { readonly stream: boolean; readonly charge?: number },
): Promise<Log> {
  expect(isWhole(answer, stream), answer.text.slice(-500)).toBe(true);
  expectNothingLeaked(scene, answer);
  const row = await chargeOf(scene, model);
  expect(row.request_id).toBe(requestIdOf(answer));
  expect(row.quota).toBe(charge);
  return row;
}
