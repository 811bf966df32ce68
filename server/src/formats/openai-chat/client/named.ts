/** What a chat request names of all that its upstream keeps: files, and sound of earlier answers. */

import { watchedKeys } from "#base/json/watched-keys.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import { namedRules, namingKeys } from "#formats/shared/named/named-ids.ts";
import {
  isUnder,
  keyList,
  says,
  textsUnder,
  walkObjects,
} from "#formats/shared/named/walk-objects.ts";

const continued = "previous_response_id";

export const chatWatched = watchedKeys(namingKeys(["audio", continued]));

const rules = namedRules({
  keys: ["audio", continued, "messages"],
  toolData: [],
  read(object, found) {
    // In this format a few servers read it, and no answer is known to give it.
    if (says(object, continued)) found.foreign ||= continued;
    if (!isUnder(object, "messages", "audio")) return;
    for (const text of textsUnder(object, "id")) {
      if (text !== "") found.given.push({ text, field: "messages[].audio.id", isEcho: false });
    }
  },
});

const mark = Buffer.from('"audio"');
const answerKeys = keyList(["audio", "id"], ["content"]);

const nothing: readonly string[] = [];

function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export const chatNames: NamesReader = {
  rules,
  givenIn(bytes, isStream) {
    // The scanner finds it in the events of a stream.
    if (isStream || !asBuffer(bytes).includes(mark)) return nothing;
    const ids: string[] = [];
    walkObjects(bytes, answerKeys, (object) => {
      if (object.place?.key === "audio") ids.push(...textsUnder(object, "id"));
    });
    return ids;
  },
  isId: () => true,
};
