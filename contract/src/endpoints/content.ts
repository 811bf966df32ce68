/**
 * Texts that root writes for all visitors, in Markdown or HTML. "About" and the home page may
 * instead be the address of a page.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** Schema of a text; empty: root has not set it. */
const text = z.string();

/** Reads the notice. The console shows it once in each browser after each change. */
export const readNotice = endpoint({
  method: "GET",
  path: "/api/notice",
  access: "public",
  input: z.object({}),
  output: text,
});

/**
 * Origins that may be named in the header Content-Security-Policy: URLs may contain characters such
 * as `;` that end a value there.
 */
const plainOrigin = /^https?:\/\/[\w.-]+(:\d+)?$/;

/**
 * Returns the address of a page, if the text is just that address; null: the text is content of its
 * own.
 */
export function framedAddress(content: string): URL | null {
  const address = pageAddress(content);
  return address?.protocol === "https:" ? address : null;
}

/** Returns the address of a page, with or without TLS, if the text is just that address. */
function pageAddress(text: string): URL | null {
  const address = /^https?:\/\/\S+$/i.test(text.trim()) ? URL.parse(text.trim()) : null;
  return address !== null && plainOrigin.test(address.origin) ? address : null;
}

/**
 * Returns the origins from which the browser loads an operator's picture; empty for a file of this
 * server.
 */
export function imageOrigins(address: string): readonly string[] {
  const origin = framedAddress(address)?.origin;
  return origin === undefined ? [] : [origin];
}

/**
 * The longest origin of a chat client that is shown in a frame, in characters. Limited, because the
 * origin goes into a header of the page.
 */
const chatOriginMax = 100;

/**
 * Returns the address of a chat client, with its placeholders, if it can be shown in a frame; null:
 * it has to be opened in a tab. An address of this server is never framed: that would show the
 * console inside itself.
 */
export function framedChat(template: string, serverAddress: string): URL | null {
  const address = pageAddress(template);
  if (address === null || address.origin.length > chatOriginMax) return null;
  return address.origin === URL.parse(serverAddress)?.origin ? null : address;
}

/**
 * Reads the page "About". If the text is an `https://` address, consoles show that page in a frame.
 */
export const readAbout = endpoint({
  method: "GET",
  path: "/api/about",
  access: "public",
  input: z.object({}),
  output: text,
});

/**
 * Reads the home page. If the text is an `https://` address, consoles show that page in a frame.
 */
export const readHomePage = endpoint({
  method: "GET",
  path: "/api/home_page_content",
  access: "public",
  input: z.object({}),
  output: text,
});
