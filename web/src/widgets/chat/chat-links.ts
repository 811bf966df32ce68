/**
 * The chat clients that the operator configured (option `Chats`), as links that carry a token's
 * key.
 */

import { z } from "zod";

export type ChatLink = { readonly name: string; readonly template: string };

/**
 * Returns the configured clients as a list. Each entry of the option is an object with one field:
 * the client's name → an address with the placeholders `{key}` and `{address}`.
 */
export function chatLinks(chats: readonly Readonly<Record<string, string>>[]): ChatLink[] {
  return chats.flatMap((entry) =>
    Object.entries(entry).map(([name, template]) => ({ name, template })),
  );
}

/** Returns the chat clients of a token: one a line, a name, a space and an address. */
export function ownChatLinks(text: string): ChatLink[] {
  return text.split("\n").flatMap((line) => {
    const space = line.lastIndexOf(" ");
    if (space <= 0) return [];
    return [{ name: line.slice(0, space), template: line.slice(space + 1) }];
  });
}

/** Whether the link opens a web page; other schemes open an app on the device. */
export function isPage({ template }: ChatLink): boolean {
  return /^https?:/i.test(template.trim());
}

/** A client's address may have an app's own scheme, but not one that runs a script. */
const opened = z.string().regex(/^(?!javascript:|data:|vbscript:)[a-z][a-z0-9+.-]*:/i);

/**
 * Makes the address that opens a chat client with this token; null: the template is not an address
 * that may be opened.
 * @param key the token's whole key, with `sk-`.
 */
export function chatUrl(template: string, serverUrl: string, key: string): string | null {
  const filled = template
    .trim()
    .replaceAll("{address}", encodeURIComponent(serverUrl))
    .replaceAll("{key}", encodeURIComponent(key));
  return opened.safeParse(filled).data ?? null;
}
