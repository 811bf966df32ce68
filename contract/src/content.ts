/** Texts root writes for everybody: Markdown, HTML, or for two of them an address to show. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** Empty: nothing is set. */
const text = z.string();

/** Shown once to each browser, whenever it changed. */
export const readNotice = endpoint({
  method: "GET",
  path: "/api/notice",
  access: "public",
  input: z.object({}),
  output: text,
});

/** A host that can stand in a header: URLs may hold more, such as `;`. */
const plainOrigin = /^https:\/\/[\w.-]+(:\d+)?$/;

/** The page a text stands for that is nothing but its address; null: it is a text. */
export function framedAddress(content: string): URL | null {
  const text = content.trim();
  if (!/^https:\/\/\S+$/.test(text) || !URL.canParse(text)) return null;
  const address = new URL(text);
  return plainOrigin.test(address.origin) ? address : null;
}

/** Longest origin of a chat client in a frame, in characters: it stands in a header of the page. */
const chatOriginMax = 100;

/**
 * The page of a chat client, with its placeholders, that is shown in a frame; null: it has to be
 * opened. Never one of our own address, which in a frame would be the console itself.
 */
export function framedChat(template: string, serverAddress: string): URL | null {
  const address = framedAddress(template);
  if (address === null || address.origin.length > chatOriginMax) return null;
  return address.origin === URL.parse(serverAddress)?.origin ? null : address;
}

/** An address that begins with `https://` is shown in a frame. */
export const readAbout = endpoint({
  method: "GET",
  path: "/api/about",
  access: "public",
  input: z.object({}),
  output: text,
});

/** The same. */
export const readHomePage = endpoint({
  method: "GET",
  path: "/api/home_page_content",
  access: "public",
  input: z.object({}),
  output: text,
});
