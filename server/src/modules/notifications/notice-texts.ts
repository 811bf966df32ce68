/** The texts of notices, in the language of their receiver. */

import en from "./en.json" with { type: "json" };
import zh from "./zh.json" with { type: "json" };
import type { Notice } from "./notifications.ts";

type Texts = Readonly<
  Record<keyof typeof zh, { readonly title: string; readonly content: string }>
>;

const notices = { en, zh } as const satisfies Record<string, Texts>;

/**
 * Writes the title and content of a notice. In the title, each `{{value}}` is replaced by the next
 * of `values`; in the content, the sender of the notice replaces them.
 * @param language of the receiver: `en`; any other value means Chinese.
 */
export function writeNotice(
  name: keyof Texts,
  language: string,
  values: readonly string[] = [],
): Pick<Notice, "content" | "title" | "values"> {
  const { title, content } = notices[language === "en" ? "en" : "zh"][name];
  let next = 0;
  const filled = title.replaceAll("{{value}}", () => values[next++] ?? "");
  return { title: filled, content, values };
}
