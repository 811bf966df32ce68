/** The speeds of Midjourney, which decide the price, and where requests and upstreams name them. */

import type { TaskRequest } from "./platform.ts";
import { fieldsOf, listOf, textOf } from "./read-json.ts";

/** Words in prompts that choose a speed. Midjourney reads a dash of phones as two hyphens. */
const modeWords = /(?<!\s)\s*(?:--|—)(fast|relax|turbo)\b/gi;

/** The speeds that upstreams have paths for. */
const speeds = ["fast", "relax", "turbo"];

/**
 * Reads the speed that is charged, and what of the request names one, without other speeds. The path
 * (or the token) counts before the prompt, the prompt before the filter of accounts; of several
 * words the first.
 */
export function readSpeed({ body, mode: given, options }: TaskRequest) {
  const prompt = textOf(body["prompt"]);
  const filter = fieldsOf(body["accountFilter"]);
  const [word] = prompt.matchAll(modeWords);
  const named = [
    given.replace(/^mj-/i, ""),
    options.modeClear ? "" : (word?.[1] ?? ""),
    options.accountFilter ? textOf(listOf(filter["modes"])[0]) : "",
  ].map((name) => name.toLowerCase());
  const mode = named.find((name) => speeds.includes(name)) ?? "";
  const told = prompt.replaceAll(modeWords, (each, speed: string) =>
    !options.modeClear && speed.toLowerCase() === mode ? each : "",
  );
  return {
    mode,
    ...(body["prompt"] === undefined ? {} : { prompt: told === prompt ? prompt : told.trim() }),
    ...(mode !== "" && filter["modes"] !== undefined
      ? { accountFilter: { ...filter, modes: [mode.toUpperCase()] } }
      : {}),
  };
}

/** Speeds go on in the path; other modes that begin with `mj-` are names that only clients use. */
export function pathTo(given: string, mode: string, to: string): string {
  const isOther = given !== "" && !/^mj-/i.test(given) && given.toLowerCase() !== mode;
  if (isOther) return `/${given}/mj${to}`;
  return mode === "" ? `/mj${to}` : `/${mode}/mj${to}`;
}
