/** Validates the settings of a token that have a form of their own, and normalises the lists. */

import {
  chatLinksMax,
  chatNameMax,
  expiredTimeMax,
  tokenAddressMax,
  tokenListMax,
} from "@tollgate/contract/endpoints/tokens.ts";
import { characterCount, isPlain } from "@tollgate/contract/fields/fields.ts";
import { plainTag, tagLengthMax, tagsMax } from "@tollgate/contract/logs/tags.ts";
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
  return readAddresses(text, "IP 白名单", "allow_ips");
}

/**
 * Normalises the list of addresses from which a token may not be used, as `readAllowIps` does.
 * @throws Refusal `invalid-input`.
 */
export function readDenyIps(text: string): string {
  return readAddresses(text, "IP 黑名单", "deny_ips");
}

function readAddresses(text: string, what: string, field: string): string {
  const lines = entries(text, /[\s,;]/);
  for (const line of lines) {
    if (parseIpRange(line) === undefined) {
      throw new Refusal("invalid-input", `${what}中有无效的地址：${line.slice(0, 50)}`, { field });
    }
  }
  return bounded(lines, what, field).join("\n");
}

/**
 * Checks the address of a picture proxy. The server never asks it; it only becomes part of texts.
 * @throws Refusal `invalid-input` if it is neither empty nor an HTTP address.
 */
export function readProxyAddress(text: string): string {
  if (text === "" || isHttpAddress(text)) return text;
  throw new Refusal("invalid-input", "图片代理地址必须以 http:// 或 https:// 开头", {
    field: "mj_proxy_address",
  });
}

function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** The address of a chat client may have an app's own scheme, but not one that runs a script. */
const chatAddress = /^(?!javascript:|data:|vbscript:)[a-z][a-z0-9+.-]*:\S+$/i;

/**
 * Normalises the chat clients of a token to one a line: a name, one space, an address.
 * @throws Refusal `invalid-input`.
 */
export function readChatLinks(text: string): string {
  const lines = entries(text, /\n/).map((line) => {
    const [, name = "", address = ""] = /^(.*\S)\s+(\S+)$/.exec(line) ?? [];
    const isName = name !== "" && characterCount(name) <= chatNameMax && isPlain(name);
    if (isName && address.length <= tokenAddressMax && chatAddress.test(address)) {
      return `${name} ${address}`;
    }
    throw new Refusal(
      "invalid-input",
      `聊天配置的每一行应为“名称 地址”，名称最多 ${chatNameMax} 个字符：${line.slice(0, 50)}`,
      { field: "chat_links" },
    );
  });
  if (lines.length <= chatLinksMax) return lines.join("\n");
  throw new Refusal("invalid-input", `聊天配置不能超过 ${chatLinksMax} 项`, {
    field: "chat_links",
  });
}

/**
 * Normalises the tags of a token to one a line.
 * @throws Refusal `invalid-input`.
 */
export function readTags(text: string): string {
  const lines = entries(text, /\n/);
  const odd = lines.find((line) => plainTag(line) !== line);
  if (odd !== undefined) {
    throw new Refusal("invalid-input", `标签最多 ${tagLengthMax} 个字符：${odd.slice(0, 50)}`, {
      field: "tags",
    });
  }
  if (lines.length <= tagsMax) return lines.join("\n");
  throw new Refusal("invalid-input", `标签不能超过 ${tagsMax} 个`, { field: "tags" });
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
