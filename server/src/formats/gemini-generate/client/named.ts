/** What a request of generateContent names of all that Google keeps: files, caches, stores. */

import { watchedKeys } from "#base/json/watched-keys.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import { namedRules, namingKeys } from "#formats/shared/named/named-ids.ts";

export const geminiWatched = watchedKeys(namingKeys([]));

/** No answer gives an id: what Google keeps is made by other calls. */
export const geminiNames: NamesReader = {
  rules: namedRules({ keys: [], toolData: ["args", "response"], read: () => {} }),
  givenIn: () => [],
  isId: () => false,
};
