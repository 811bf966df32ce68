/**
 * Schemas of fields as consoles really send them. `query…` reads a query string, where everything
 * is text and missing values are often spelled out; `sent…` reads a body, where `null` means empty,
 * a number may come as text, and an absent field means no change.
 */

import { z } from "zod";

/** The longest keyword that a search accepts, in characters. */
export const keywordMax = 100;

/**
 * A whole number in a query. Consoles also send `NaN`, `undefined` or nothing, so any other value
 * counts as absent.
 */
export const queryWhole = z.coerce.number<number>().int().optional().catch(undefined);

/** Text of a query; `null` and `undefined` mean "not given" there. */
export const queryText = z
  .string()
  .trim()
  .max(keywordMax, `关键词不能超过 ${keywordMax} 个字符`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "关键词不能含有控制字符")
  .default("")
  .transform((text) => (text === "null" || text === "undefined" ? "" : text));

/** A yes or no in a query: `true` and `1` mean yes, everything else means no. */
export const queryFlag = z
  .string()
  .default("")
  .transform((text) => text === "true" || text === "1");

/** The id of an entity in a path or body. */
export const id = z.coerce
  .number<number | string>("无效的参数")
  .int("无效的参数")
  .positive("无效的参数");

/** Makes the schema of a whole number from `min` to `max`; undefined: absent or empty. */
export function sentWhole(min: number, max: number, rule: string) {
  return z
    .union([z.number(), z.string(), z.null()], rule)
    .optional()
    .transform((sent, context) => {
      if (sent === undefined || sent === null || sent === "") return undefined;
      const isNumber = typeof sent === "number" || /^\s*-?\d{1,16}\s*$/.test(sent);
      const value = isNumber ? Number(sent) : Number.NaN;
      if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
      context.addIssue({ code: "custom", message: rule });
      return z.NEVER;
    });
}

/**
 * Makes the schema of a text without control characters, trimmed, of at most `max` characters;
 * undefined: absent.
 */
export function sentText(max: number, rule: string) {
  return z
    .union([z.string(), z.null()], rule)
    .optional()
    .transform((sent, context) => {
      const text = sent === null ? "" : sent?.trim();
      if (text === undefined || (characterCount(text) <= max && isPlain(text))) return text;
      context.addIssue({ code: "custom", message: rule });
      return z.NEVER;
    });
}

/** A yes or no; undefined: absent. */
export const sentFlag = z
  .union([z.boolean(), z.literal(["true", "false", "1", "0", 1, 0, ""]), z.null()])
  .optional()
  .transform((sent) => {
    if (sent === undefined) return undefined;
    return sent === true || sent === "true" || sent === "1" || sent === 1;
  });

/** Counts characters as people do, not units of UTF-16. */
export function characterCount(text: string): number {
  return [...text].length;
}

/**
 * Refuses characters that are invisible, look like an ordinary blank, or change the direction of
 * the text around them.
 */
export function isVisible(text: string): boolean {
  return !/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u.test(
    text,
  );
}

/**
 * True for a text without control characters, and without lone surrogates, which UTF-8 cannot
 * represent.
 */
export function isPlain(text: string): boolean {
  return /^[^\p{Cc}\p{Cs}]*$/u.test(text);
}
