/**
 * Content that root writes for all visitors: the address of a page, HTML, or Markdown. This file
 * tells which of them a text is.
 */

import { framedAddress } from "@tollgate/contract/endpoints/content.ts";

export type OperatorText =
  | { readonly kind: "none" }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "html"; readonly html: string }
  | { readonly kind: "markdown"; readonly text: string };

export function readOperatorText(content: string): OperatorText {
  const text = content.trim();
  if (text === "") return { kind: "none" };
  const address = framedAddress(text);
  if (address !== null) return { kind: "address", address: address.href };
  return text.startsWith("<") ? { kind: "html", html: text } : { kind: "markdown", text };
}
