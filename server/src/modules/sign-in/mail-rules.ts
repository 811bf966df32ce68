/** Which mail addresses an installation takes, and how often it writes to one. */

import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "#modules/options/options.ts";
import type { Counted } from "#base/attempts.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const pauseRule: RateRule = { name: "mail-pause", windowMs: 30_000, max: 1 };
const addressRule: RateRule = { name: "mail-address", windowMs: hourMs, max: 5 };
const clientRule: RateRule = { name: "mail-client", windowMs: hourMs, max: 10 };
const everybodyRule: RateRule = { name: "mail-everybody", windowMs: hourMs, max: 200 };

/** What a letter that anybody can ask for counts against, whether or not one is sent. */
export function letterRules(address: string, clientBlock: string): Counted[] {
  return [
    [clientRule, clientBlock],
    [pauseRule, address],
    [addressRule, address],
    [everybodyRule, ""],
  ];
}

/** @throws Refusal `not-allowed` for an address that root's rules leave out. */
export function judgeAddress(address: string, readOption: Options["read"]): void {
  const [local = "", domain = ""] = address.split("@");
  const isListed = readOption("EmailDomainWhitelist").includes(domain);
  if (readOption("EmailDomainRestrictionEnabled") && !isListed) {
    throw new Refusal("not-allowed", "管理员启用了邮箱域名白名单，您的邮箱域名不在其中");
  }
  if (readOption("EmailAliasRestrictionEnabled") && /[+.]/.test(local)) {
    throw new Refusal(
      "not-allowed",
      "管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝",
    );
  }
}
