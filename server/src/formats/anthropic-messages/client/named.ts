/** What a request for a message names of all that Anthropic keeps, and what an answer gives. */

import { watchedKeys } from "#base/json/watched-keys.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import { namedRules, namingKeys } from "#formats/shared/named/named-ids.ts";
import { isUnder, keyList, textsUnder, walkObjects } from "#formats/shared/named/walk-objects.ts";

const containerKey = "container";

export const messagesWatched = watchedKeys(namingKeys([containerKey]));

const rules = namedRules({
  keys: [containerKey],
  toolData: ["input"],
  read(object, found) {
    const ids =
      object.place === null
        ? textsUnder(object, containerKey)
        : isUnder(object, containerKey)
          ? textsUnder(object, "id")
          : [];
    for (const text of ids) {
      if (text !== "") found.given.push({ text, field: containerKey, isEcho: false });
    }
  },
});

const mark = Buffer.from(`"${containerKey}"`);
const answerKeys = keyList([containerKey, "id"], ["content"]);

export const messagesNames: NamesReader = {
  rules,
  givenIn(bytes, isStream) {
    // The scanner finds it in the events of a stream.
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return !isStream && all.includes(mark) ? containersIn(all) : [];
  },
  isId: (text) => text.startsWith("container_"),
};

function containersIn(bytes: Uint8Array): readonly string[] {
  const ids: string[] = [];
  walkObjects(bytes, answerKeys, (object) => {
    if (object.place?.key === containerKey) ids.push(...textsUnder(object, "id"));
  });
  return ids;
}
