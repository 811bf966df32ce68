/**
 * Keeps keys that are typed into a search out of addresses: the address has the masked form, and the
 * key itself is only in the memory of the page.
 */

import { maskSecret } from "./mask-secret.ts";

/** How the keys of well-known services begin. */
const beginnings =
  /^(?:sk[-_]|rk_|pk_|AIza|ya29\.|gsk_|xai-|hf_|r8_|pplx-|nvapi-|AKIA|ASIA|csk-|fw_|tgp_|eyJ|ghp_|github_pat_|Bearer )/;

/** A key of a known beginning has at least this length, in characters; without one, this other. */
const begunMin = 16;
const unknownMin = 20;

/** The most keys that are kept; the oldest goes. */
const keptMax = 20;

const kept = new Map<string, string>();

/** Whether a text is so like a key that it must stand in no address. */
export function isLikeKey(text: string): boolean {
  const typed = text.trim();
  if (typed.includes("••••")) return false;
  if (typed.length >= begunMin && beginnings.test(typed)) return true;
  if (typed.length < unknownMin) return false;
  // A service account's JSON, or keys of several parts.
  if (/"private_key"|\|[^\s|]{8}/.test(typed)) return true;
  // Names are words: with spaces, or parts that are letters or numbers alone.
  if (/\s/.test(typed)) return false;
  const parts = typed.split(/[-_./:]/);
  return parts.some((part) => part.length >= unknownMin && isMixed(part));
}

function isMixed(part: string): boolean {
  return /\d/.test(part) && /[A-Za-z]/.test(part);
}

/**
 * Masks a text that begins as keys of well-known services do, and keeps it; returns any other text
 * as it is. For searches of what may look like a key otherwise, such as the id of a request.
 */
export function hideKnownKey(text: string): string {
  const isKnown = beginnings.test(text) && text.length >= unknownMin && isMixed(text);
  return isKnown && isLikeKey(text) ? keep(text.trim()) : text;
}

/** Masks a text that is like a key, and keeps it; returns any other text as it is. */
export function hideKey(text: string): string {
  return isLikeKey(text) ? keep(text.trim()) : text;
}

function keep(key: string): string {
  const masked = maskSecret(key);
  kept.delete(masked);
  kept.set(masked, key);
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax) break;
    kept.delete(oldest);
  }
  return masked;
}

/** Returns the key that was masked to this text, as long as the page remembers it. */
export function unhideKey(text: string): string {
  return kept.get(text) ?? text;
}
