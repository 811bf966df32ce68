/** Cloudflare Turnstile: whether a person fills the form. */

import { z } from "zod";
import { addressBlock } from "#base/ip-ranges.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import type { Options } from "#modules/options/options.ts";
import type { CallOutside, OutsideAddresses } from "./methods/outside.ts";

/**
 * Lets who passed the check go on; at once where root asks for none.
 *
 * @throws Refusal `not-allowed`.
 */
export type BotCheck = (token: string, clientIp: string) => Promise<void>;

export type BotCheckDeps = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  readonly addresses: Pick<OutsideAddresses, "turnstile">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Cloudflare takes a token once, but a page sends it with each of its calls: for the code, then
 * for the account. One that passed is good for a few more, from the same place.
 */
const passLastsMs = 10 * 60_000;
const passUsesMax = 10;

/** Passes remembered; of more the oldest is forgotten. */
const passesMax = 10_000;

const verdict = z.object({ success: z.boolean() });

export function openBotCheck({ readOption, callOutside, addresses, now }: BotCheckDeps): BotCheck {
  const passes = new Map<string, { readonly untilMs: number; usesLeft: number }>();

  function isPassed(key: string): boolean {
    const pass = passes.get(key);
    if (pass === undefined || pass.untilMs <= now() || pass.usesLeft === 0) return false;
    pass.usesLeft -= 1;
    return true;
  }

  function remember(key: string): void {
    passes.delete(key);
    passes.set(key, { untilMs: now() + passLastsMs, usesLeft: passUsesMax });
    const oldest = passes.keys().next();
    if (passes.size > passesMax && !oldest.done) passes.delete(oldest.value);
  }

  return async (token, clientIp) => {
    if (!readOption("TurnstileCheckEnabled")) return;
    if (token === "") throw new Refusal("not-allowed", "Turnstile token 为空");
    const key = `${hashText(token)} ${addressBlock(clientIp)}`;
    if (isPassed(key)) return;
    const answer = await callOutside({
      url: addresses.turnstile,
      form: { secret: readOption("TurnstileSecretKey"), response: token, remoteip: clientIp },
    });
    if (answer === undefined || !isSuccess(answer.text)) {
      throw new Refusal("not-allowed", "Turnstile 校验失败，请刷新重试！");
    }
    remember(key);
  };
}

function isSuccess(text: string): boolean {
  try {
    return verdict.parse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
