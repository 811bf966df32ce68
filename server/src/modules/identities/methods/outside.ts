/** Sends requests to identity providers and reads their JSON answers. */

import type { z } from "zod";
import { parseForeign } from "#base/json.ts";
import { Refusal } from "#base/refusal.ts";
import type { CallOutside, OutsideRequest } from "#modules/sign-in/sign-in.ts";

/**
 * Sends a request and reads the JSON answer. No refusal quotes the answer, because it may repeat
 * secrets from the request.
 *
 * @param title display name of the provider, e.g. `" GitHub "`.
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

/** Makes the refusal for an answer of an unexpected shape. */
export function unreadable(title: string): Refusal {
  return new Refusal("outside-failed", `来自${title}的结果无法识别，请重新授权或检查设置`);
}

function parseJson(text: string): unknown {
  try {
    return parseForeign(text);
  } catch {
    return undefined;
  }
}
