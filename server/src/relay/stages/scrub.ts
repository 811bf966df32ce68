/**
 * Makes an upstream's message safe to show to a client: removes the channel's keys, addresses that
 * reveal the upstream, and markup. An HTML page is not shown at all.
 */

import type { ChannelView } from "#relay/snapshot.ts";

/** The longest message shown, in UTF-16 code units. */
const messageLengthMax = 1_000;

/** Keys shorter than this are not removed, because they could be ordinary words. */
const keyLengthMin = 6;

const removed = "***";

/**
 * Text that reveals where the upstream is: URLs, host names, and IP addresses with or without a
 * port.
 */
const places = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]*/gi,
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b/g,
  /\[[0-9a-f:.]{2,}\](?::\d{1,5})?/gi,
  /\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:ai|app|cloud|cn|co|com|dev|io|internal|lan|local|localhost|net|org|run|tech|xyz)(?::\d{1,5})?\b/gi,
  /\blocalhost(?::\d{1,5})?\b/gi,
];

/** Credentials in the usual forms, also partly masked, and account ids. */
const credentials = [
  /\b(?:sk|pk|rk|ak|key|gsk|xai|hf|AIza)[-_][\w*.•…-]{4,}/g,
  /\bAIza[\w*-]{8,}/g,
  /\bBearer\s+\S+/gi,
  /\b(?:org|proj|acct|user)-[A-Za-z0-9]{6,}/g,
];

/** Removes secrets and markup from a message. Empty: nothing is left to show. */
export function scrubMessage(message: string, channel: ChannelView): string {
  if (/<\s*(?:!doctype|html|head|body|script|title)\b/i.test(message)) return "";
  let text = message.slice(0, messageLengthMax);
  for (const key of channel.keys) {
    if (key.length >= keyLengthMin) text = text.replaceAll(key, removed);
  }
  const { host } = hostOf(channel.baseUrl);
  if (host !== "") text = text.replaceAll(host, removed);
  for (const pattern of [...credentials, ...places]) text = text.replaceAll(pattern, removed);
  return text.replaceAll(/[\p{Cc}<>]/gu, " ").trim();
}

/**
 * Makes an upstream's error code safe to show, such as `context_length_exceeded`: removes secrets
 * and characters that codes do not have.
 */
export function scrubWord(word: string, channel: ChannelView): string {
  return scrubMessage(word, channel)
    .replaceAll(/[^\w.:/-]/g, "")
    .slice(0, 64);
}

function hostOf(baseUrl: string): { readonly host: string } {
  return URL.canParse(baseUrl) ? new URL(baseUrl) : { host: "" };
}
