/**
 * The one way this folder reaches servers elsewhere: providers people sign in by, and the bot
 * check. What is called has limits of time and size; `outside-calls.ts` of the process keeps them.
 */

import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";

export type OutsideRequest = {
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Posted as a form. Absent, as is `json`: a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Posted as JSON. */
  readonly json?: object;
};

/** Undefined: no answer that is whole, small and in time. Redirects are not followed. */
export type CallOutside = (
  request: OutsideRequest,
) => Promise<{ readonly status: number; readonly text: string } | undefined>;

/** Addresses no option sets; tests put servers of their own there. */
export type OutsideAddresses = {
  readonly gitHubToken: string;
  readonly gitHubUser: string;
  readonly linuxDoToken: string;
  readonly linuxDoUser: string;
  readonly turnstile: string;
};

/** Sources: the providers' documents, read 2026-11-21. */
export const outsideAddresses: OutsideAddresses = {
  gitHubToken: "https://github.com/login/oauth/access_token",
  gitHubUser: "https://api.github.com/user",
  linuxDoToken: "https://connect.linux.do/oauth2/token",
  linuxDoUser: "https://connect.linux.do/api/user",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
};

/**
 * Calls, and reads the JSON of the answer. Nothing of the answer stands in a refusal, because it
 * may repeat what was sent.
 *
 * @param title the provider as people know it, e.g. `" GitHub "`.
 * @throws Refusal `outside-failed`.
 */
export async function askOutside<Schema extends z.ZodType>(
  call: CallOutside,
  request: OutsideRequest,
  schema: Schema,
  title: string,
): Promise<z.output<Schema>> {
  const answer = await call(request);
  if (answer === undefined || answer.status >= 500) {
    throw new Refusal("outside-failed", `无法连接至${title}服务器，请稍后重试！`);
  }
  const parsed = schema.safeParse(parseJson(answer.text));
  if (!parsed.success) {
    throw unreadable(title);
  }
  return parsed.data;
}

/** What a provider answered is not what was asked for. */
export function unreadable(title: string): Refusal {
  return new Refusal("outside-failed", `来自${title}的结果无法识别，请重新授权或检查设置`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
