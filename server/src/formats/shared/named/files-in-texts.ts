/**
 * Finds the names of files in texts of the system: some models of Alibaba, such as `qwen-long`, read
 * there `fileid://` and the id of any file of the account, as its documentation said on 2026-11-29.
 */

import { issuedText } from "#formats/shared/scan/issued-texts.ts";
import { type Field, keyList, type ObjectView, textsUnder, walkObjects } from "./walk-objects.ts";

const scheme = "fileid://";
/** The part of it in which clients write no other escapes. */
const beginning = "fileid:";
/** The beginning of an escape in which a letter of the scheme may be written. */
const escape = "\\u00";

/** The body's own keys with texts of the system, in all formats, in lower case. */
const ownKeys: ReadonlySet<string> = new Set([
  "instructions",
  "system",
  "system_instruction",
  "systeminstruction",
]);

/** Keys of a message with what it says. */
const saidKeys: ReadonlySet<string> = new Set(["content", "parts"]);

/** The roles of messages that the system does not write. */
const otherRoles: ReadonlySet<string> = new Set(["assistant", "function", "model", "tool", "user"]);

const keys = keyList([...ownKeys, ...saidKeys, "role"], []);

/** Whether a text of the system names a file, in a body that is known to be one JSON object. */
export function namesFileInText(bytes: Uint8Array): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!all.includes(beginning) && !all.includes(escape)) return false;
  let isFound = false;
  const isWhole = walkObjects(bytes, keys, (object) => {
    if (isFound) return;
    const ofSystem = object.place === null ? ownKeys : saidBySystem(object);
    isFound = object.members.some((member) => ofSystem.has(member.key) && hasScheme(all, member));
  });
  return isFound || !isWhole;
}

const nothing: ReadonlySet<string> = new Set();

/** Returns the keys with texts of the system that a message has, which no message is inside of. */
function saidBySystem(object: ObjectView): ReadonlySet<string> {
  if (object.place?.in !== null) return nothing;
  return textsUnder(object, "role").every((role) => otherRoles.has(role)) ? nothing : saidKeys;
}

function hasScheme(all: Buffer, { end, start }: Field): boolean {
  return issuedText(all, start, end).includes(scheme);
}
