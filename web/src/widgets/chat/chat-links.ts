/** The configured chat clients, as links that carry a token. Source: option `Chats`. */

import { z } from "zod";

export type ChatLink = { readonly name: string; readonly template: string };

/** Each entry is an object of one field: name → address with `{key}` and `{address}`. */
export function chatLinks(chats: readonly Readonly<Record<string, string>>[]): ChatLink[] {
  return chats.flatMap((entry) =>
    Object.entries(entry).map(([name, template]) => ({ name, template })),
  );
}

/** Whether a browser opens it, rather than an app on the device. */
export function isPage({ template }: ChatLink): boolean {
  return /^https?:/i.test(template.trim());
}

/** A client's address may have an app's own scheme, but never run a script. */
const opened = z.string().regex(/^(?!javascript:|data:|vbscript:)[a-z][a-z0-9+.-]*:/i);

/**
 * The address that opens a client with this token; null: the template cannot be opened.
 *
 * @param key with `sk-`.
 */
export function chatUrl(template: string, serverUrl: string, key: string): string | null {
  const filled = template
    .trim()
    .replaceAll("{address}", encodeURIComponent(serverUrl))
    .replaceAll("{key}", encodeURIComponent(key));
  return opened.safeParse(filled).data ?? null;
}
