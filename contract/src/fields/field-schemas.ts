/** Zod schemas that several options share, or that are too long to stand in a declaration. */

import { trimEndOf } from "./trim-end.ts";
import { z } from "zod";
import { decimalText } from "@tollgate/contract/money/decimals.ts";
import { imageOrigins } from "@tollgate/contract/endpoints/content.ts";
import { groupName, groupNameMax } from "@tollgate/contract/endpoints/groups.ts";

export function wholeOption(min: number, max: number) {
  const rule = `必须是 ${min} 到 ${max} 之间的整数`;
  return z.number(rule).int(rule).min(min, rule).max(max, rule);
}

export function numberOption(min: number, max: number) {
  const rule = `必须在 ${min} 到 ${max} 之间`;
  return z.number(rule).min(min, rule).max(max, rule);
}

export const quotaOption = wholeOption(0, Number.MAX_SAFE_INTEGER);

/** Whether a decimal is above 0. */
export function isAboveZero(text: string): boolean {
  return /[1-9]/.test(text);
}

export const positiveDecimal = decimalText.refine(isAboveZero, "必须大于 0");

/**
 * Makes the schema of one line of text, trimmed. Control characters are refused, because some lines
 * become headers of e-mails and calls.
 */
export function lineText(max: number) {
  return z
    .string()
    .trim()
    .max(max, `不能超过 ${max} 个字符`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "不能含有控制字符");
}

/** Makes the schema of a text of several lines, which is stored exactly as it was typed. */
export function longText(max: number) {
  return z
    .string()
    .max(max, `不能超过 ${max} 个字符`)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, "不能含有控制字符");
}

/** Defines an option that is a list of texts of one line each. */
export function linesOption(most: number, max: number) {
  return z.array(lineText(max)).max(most, `最多 ${most} 项`);
}

/** Schema of an option that maps names to decimals. */
export const decimalsOption = z.record(z.string(), decimalText);

const groupsRule = `分组名称长度必须在 1-${groupNameMax} 之间，且不含逗号`;
const areGroups = (map: object): boolean =>
  Object.keys(map).every((name) => groupName.safeParse(name).success);

/** Schema of an option that maps groups to decimals. */
export const groupDecimalsOption = decimalsOption.refine(areGroups, groupsRule);

/** Schema of an option that maps groups to texts. */
export const groupTextsOption = z
  .record(z.string(), z.string().max(200, "分组描述不能超过 200 个字符"))
  .refine(areGroups, groupsRule);

/** The longest public id of a client at a sign-in provider, in characters. */
export const clientIdMax = 200;

const address = lineText(2_048);

/**
 * Address of an image: on another server over HTTPS, or a file of this server. Browsers load no
 * `http://` image into a page that came over HTTPS.
 */
export const imageOption = address.refine(
  (text) => /^(\/([^/\s\\]\S*)?)?$/.test(text) || imageOrigins(text).length > 0,
  "图片地址必须是 https 地址或以 / 开头，因为浏览器不会在 HTTPS 页面中加载 http 图片",
);

/**
 * Address of a page or an endpoint on another server, without user name or password; may be empty.
 */
export const linkOption = address.regex(
  /^(https?:\/\/[^\s/?#@]+([/?#]\S*)?)?$/,
  "必须是 http(s) 地址",
);

/** Address of a server: scheme, host and perhaps a path, without the final slash; may be empty. */
export const serverOption = address
  .transform((text) => trimEndOf(text, "/"))
  .refine(
    (text) => text === "" || /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(text),
    "服务器地址必须是 http(s) 地址",
  );

/**
 * Address of this server as payment processors are told it, without the characters that separate
 * the fields of a signed text, also as escapes; may be empty.
 */
export const ownServerOption = serverOption.refine(
  (text) => !/[&=#]|%(26|3d|23)/i.test(text),
  "服务器地址不能含有 &、= 或 #，转义的也不能",
);

/** Name or address of a host, without scheme and port; may be empty. */
export const hostOption = lineText(253).regex(
  /^([\p{L}\p{N}._-]+|[0-9a-f:.]+)?$/iu,
  "必须是主机名，不含协议和端口",
);

const domainsRule = "必须是以逗号分隔的域名";

/** Domains of e-mail addresses; they are converted to lower case. */
export const domainsOption = z
  .array(
    z
      .string()
      .toLowerCase()
      .max(253, domainsRule)
      .regex(/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u, domainsRule),
  )
  .max(1_000, "最多 1000 项");

/** One e-mail address, with or without a name before it: `a@b.c`, `Name <a@b.c>`; may be empty. */
export const senderOption = lineText(320).regex(
  /^([^\s@<>,;"]+@[^\s@<>,;"]+|[^@<>,;"]*<[^\s@<>,;"]+@[^\s@<>,;"]+>)?$/,
  "必须是一个邮箱地址",
);
