/**
 * Calls to upstreams that break, and what may come of them: what the client is shown, what stands
 * in the books.
 */

import { expect } from "bun:test";
import type { Log } from "@tollgate/contract/logs.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { addChannel } from "#test/console.ts";
import { eventually, readLogs } from "./books.ts";
import { chat, errorOf, eventsOf, isWhole, requestIdOf } from "./chat-call.ts";
import { addModels, type Installation, type Spender } from "./installation.ts";
import type { RawAnswer, RawOptions } from "./raw-call.ts";

/** All models of these suites: 2 units an input token, 6 an output token. */
const prices = { ratio: 2, completionRatio: 3 } as const;
/** An answer of 17 + 20 tokens, as its upstream counts them: (17 + 20 × 3) × 2 = 154 units. */
const whole = { promptTokens: 17, events: 20 } as const;
export const wholeCharge = 154;

/** The key the channels present; no client may ever see it. */
const channelKey = "sk-upstream-0001";

export type Scene = { readonly place: Installation; readonly spender: Spender };

let models = 0;

type ChannelPlan = {
  /** Limits of time, in milliseconds. */
  readonly setting?: Readonly<Record<string, number>>;
  readonly base_url?: string;
};

/** A model of its own for one script, on a channel of its own; its name. */
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

/** A model whose first channel plays `script` and whose second one is sound. */
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

/** Rows of calls that were charged for this model. */
export async function chargesOf({ place }: Scene, model: string): Promise<Log[]> {
  return await readLogs(place.root, { type: 2, model });
}

/** The one row a model's one call left. */
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

/** What no client may learn: where the upstream is, its key, its pages. */
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

/** A refusal before anything was sent: one JSON error of OpenAI's form, small, and free. */
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

/** A stream that broke: an error event in place of `[DONE]`, and the content is charged. */
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

/** The charge is the formula of the very counts the row shows. */
export function expectFormula(row: Log): void {
  expect(row.quota).toBe((row.prompt_tokens + row.completion_tokens * 3) * 2);
  expect(row.write_off).toBe(0);
}

/** A good answer, and the one charge that belongs to it. */
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
