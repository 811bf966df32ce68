/** Validates the model list, the IP list and the expiry of a token, and normalises the lists. */

import { expiredTimeMax, tokenListMax } from "@tollgate/contract/tokens.ts";
import { characterCount, isPlain } from "@tollgate/contract/fields.ts";
import { parseIpRange } from "#base/ip-ranges.ts";
import { Refusal } from "#base/refusal.ts";

/** The longest model name, in characters. */
const modelNameMax = 255;

/**
 * Normalises a list of models to unique names separated by commas.
 * @throws Refusal `invalid-input` for an invalid name or too long a list.
 */
export function readModelLimits(text: string): string {
  const names = entries(text, /,/);
  for (const name of names) {
    if (characterCount(name) > modelNameMax || !isPlain(name)) {
      throw new Refusal("invalid-input", `模型限制列表中有无效的模型名称：${name.slice(0, 50)}`, {
        field: "model_limits",
      });
    }
  }
  return bounded(names, "模型限制列表", "model_limits").join(",");
}

/**
 * Normalises a list of IP addresses and CIDR blocks to one per line. An invalid entry is refused
 * and not ignored: if all entries of a list were ignored, the token could be used from everywhere.
 * @throws Refusal `invalid-input`.
 */
export function readAllowIps(text: string): string {
  const lines = entries(text, /[\s,;]/);
  for (const line of lines) {
    if (parseIpRange(line) === undefined) {
      throw new Refusal("invalid-input", `IP 白名单中有无效的地址：${line.slice(0, 50)}`, {
        field: "allow_ips",
      });
    }
  }
  return bounded(lines, "IP 白名单", "allow_ips").join("\n");
}

/**
 * Checks the time at which a token expires. 0 is refused, because it would mean expired since 1970;
 * one-api compatible consoles never send it.
 */
export function readExpiredTime(time: number): number {
  if (time !== 0 && time <= expiredTimeMax) return time;
  throw new Refusal("invalid-input", "过期时间无效", { field: "expired_time" });
}

function entries(text: string, separator: RegExp): string[] {
  const found = text.split(separator).map((entry) => entry.trim());
  return [...new Set(found.filter((entry) => entry !== ""))];
}

function bounded(found: string[], what: string, field: string): string[] {
  if (found.length <= tokenListMax) return found;
  throw new Refusal("invalid-input", `${what}不能超过 ${tokenListMax} 项`, { field });
}
