import type { JsonObject } from "#base/json.ts";
import { asObject, parseJson } from "./read-json.ts";

/**
 * Writes an item of one format as a value that clients of other formats keep and send back, in the
 * alphabet of base64. Long runs of that alphabet, as the encrypted texts of searches, stand as they
 * are, because another encoding would make them a third longer; what is between them is hexadecimal.
 * Each piece begins with its kind and its length, and is filled to a multiple of four characters.
 */
export function sealItem(item: JsonObject): string {
  const text = JSON.stringify(item);
  let sealed = "";
  let at = 0;
  for (const { 0: run, index } of text.matchAll(longRun)) {
    sealed += `${piece("h", toHex(text.slice(at, index)))}${piece("r", run)}`;
    at = index + run.length;
  }
  return `${sealed}${piece("h", toHex(text.slice(at)))}`;
}

/** Reads what `sealItem` wrote. Undefined: it is none, or a client has changed it. */
export function openItem(sealed: string): JsonObject | undefined {
  let text = "";
  for (let at = 0; at < sealed.length;) {
    const head = pieceHead.exec(sealed.slice(at, at + headLength));
    if (head === null) return undefined;
    const from = at + headLength;
    const length = Number.parseInt(head[2] ?? "", 16);
    const content = sealed.slice(from, from + length);
    if (content.length < length) return undefined;
    text += head[1] === "r" ? content : Buffer.from(content, "hex").toString();
    at = from + filledLength(length);
  }
  return asObject(parseJson(text));
}

/** Returns the item in a list; empty: a client has changed it. */
export function itemsOf(sealed: string): JsonObject[] {
  const item = openItem(sealed);
  return item === undefined ? [] : [item];
}

/** Shorter runs are not worth the beginning of a piece. */
const longRun = /[A-Za-z0-9+/_-]{32,}/g;

const headLength = 8;
const pieceHead = /^([hr])([0-9a-f]{7})$/;

function piece(kind: "h" | "r", content: string): string {
  if (content === "") return "";
  const length = content.length.toString(16).padStart(headLength - 1, "0");
  return `${kind}${length}${content.padEnd(filledLength(content.length), "0")}`;
}

function filledLength(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function toHex(text: string): string {
  return Buffer.from(text).toString("hex");
}
