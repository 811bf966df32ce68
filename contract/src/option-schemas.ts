/** Schemas that several options share, or that are too long for the table. */

import { z } from "zod";
import { decimalText } from "./charge.ts";
import { groupName, groupNameMax } from "./groups.ts";

export const wholeOption = (min: number, max: number) => z.number().int().min(min).max(max);

export const quotaOption = wholeOption(0, Number.MAX_SAFE_INTEGER);

/** Name → decimal. */
export const decimalsOption = z.record(z.string(), decimalText);

const groupsRule = `分组名称长度必须在 1-${groupNameMax} 之间，且不含逗号`;
const areGroups = (map: object): boolean =>
  Object.keys(map).every((name) => groupName.safeParse(name).success);

/** Group → decimal. */
export const groupDecimalsOption = decimalsOption.refine(areGroups, groupsRule);

/** Group → text. */
export const groupTextsOption = z
  .record(z.string(), z.string().max(200, "分组描述不能超过 200 个字符"))
  .refine(areGroups, groupsRule);

const address = z.string().trim().max(2_048, "地址过长");

/** Address of an image: of another server, or of a file of this one. */
export const imageOption = address.regex(
  /^(https?:\/\/[^\s/?#@]+(\/\S*)?|\/([^/\s\\]\S*)?)?$/,
  "图片地址必须是 http(s) 地址或以 / 开头",
);

/** Scheme and host, a path at most, no final slash; or nothing. */
export const serverOption = address
  .transform((text) => text.replace(/\/+$/, ""))
  .refine(
    (text) => text === "" || /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(text),
    "服务器地址必须是 http(s) 地址",
  );
