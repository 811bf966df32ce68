import { scanObject } from "#base/json-scan.ts";
import { watchedKeys } from "#base/json/watched-keys.ts";
import { type Named, type NamedRules, namingKeys, readNamed } from "./named-ids.ts";

const nothing: Named = { given: [], foreign: "" };

/**
 * Opens what finds the names in messages of a session. Most have none, which a scan for the keys
 * tells without reading what stands there.
 *
 * @param ownKeys keys that only the messages of this format name something by.
 */
export function openMessageNames(
  rules: NamedRules,
  ownKeys: readonly string[],
): (bytes: Uint8Array) => Named {
  const watched = watchedKeys(namingKeys(ownKeys));
  return (bytes) => {
    const { isPassed } = scanObject(bytes, [], { watched });
    return isPassed ? readNamed(bytes, rules) : nothing;
  };
}
