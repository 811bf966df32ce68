/**
 * Makes an upstream's message safe to show to a client: removes the channel's keys, addresses that
 * reveal the upstream, and markup. An HTML page is not shown at all.
 */

import type { ChannelView } from "#ports/snapshot.ts";

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

/** Words that may be keys of which only an end is shown, and what those have. */
const maskedWord = /[\w*•-]+/g;
const mask = /[*•]{2}/;

type Secretive = Pick<ChannelView, "baseUrl" | "keys">;

/** Returns a key and its parts: some providers' keys are several, between strokes. */
function partsOf(key: string): readonly string[] {
  return key.includes("|") ? [key, ...key.split("|")] : [key];
}

/** Removes secrets and markup from a message. Empty: nothing is left to show. */
export function scrubMessage(message: string, channel: Secretive): string {
  if (/<\s*(?:!doctype|html|head|body|script|title)\b/i.test(message)) return "";
  let text = message.slice(0, messageLengthMax);
  for (const key of channel.keys.flatMap(partsOf)) {
    if (key.length >= keyLengthMin) text = text.replaceAll(key, removed);
  }
  const { host } = hostOf(channel.baseUrl);
  if (host !== "") text = text.replaceAll(host, removed);
  for (const pattern of credentials) text = text.replaceAll(pattern, removed);
  text = text.replaceAll(maskedWord, (word) => (mask.test(word) ? removed : word));
  for (const pattern of places) text = text.replaceAll(pattern, removed);
  text = withoutEnds(text, channel.keys);
  return text.replaceAll(/[\p{Cc}<>]/gu, " ").trim();
}

/** Matches what is more likely a word of the message than the end of a key, which is random. */
const plainWord = /^[a-z]{1,11}$/;

/** The shortest part of a key that is removed, in UTF-16 code units. */
const endLengthMin = 4;

/**
 * Removes the words that are the beginning or the end of a key, by which some upstreams name a key
 * that they refuse. Keys of several parts have a `|` between them.
 */
function withoutEnds(text: string, keys: readonly string[]): string {
  const words = [...new Set(text.match(/[\w-]+/g))].filter(
    (word) => word.length >= endLengthMin && !plainWord.test(word),
  );
  // A channel may have very many keys: only those with a beginning or end in the text are compared.
  const edges = new Set(
    words.flatMap((word) => [word.slice(0, endLengthMin), word.slice(-endLengthMin)]),
  );
  let left = text;
  for (const key of keys) {
    for (const part of key.split("|")) {
      if (part.length < keyLengthMin) continue;
      if (!edges.has(part.slice(0, endLengthMin)) && !edges.has(part.slice(-endLengthMin))) {
        continue;
      }
      for (const word of words) {
        if (part.startsWith(word) || part.endsWith(word)) left = left.replaceAll(word, removed);
      }
    }
  }
  return left;
}

/**
 * Makes an upstream's error code safe to show, such as `context_length_exceeded`: removes secrets
 * and characters that codes do not have.
 */
export function scrubWord(word: string, channel: Secretive): string {
  return scrubMessage(word, channel)
    .replaceAll(/[^\w.:/-]/g, "")
    .slice(0, 64);
}

function hostOf(baseUrl: string): { readonly host: string } {
  return URL.canParse(baseUrl) ? new URL(baseUrl) : { host: "" };
}
