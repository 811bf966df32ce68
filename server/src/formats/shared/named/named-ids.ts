/**
 * Finds what a request names of all that an upstream keeps: answers, conversations, files, stores,
 * containers. Whoever knows such an id could read what another user of the same account has there.
 *
 * The names count wherever they stand, but for data of tools and schemas, in which they mean
 * something else. Where a name is used was read in the documentation of OpenAI, Anthropic and Google
 * and of the servers that speak their formats on 2026-11-29.
 */

import type { Named, NamedId } from "#formats/later-turns.ts";
import {
  addressesIn,
  isSomething,
  keyList,
  type KeyList,
  type Field,
  type ObjectView,
  textsUnder,
  tooLong,
  walkObjects,
} from "./walk-objects.ts";

type Finding = { readonly given: NamedId[]; foreign: string };

/** What a format adds to the names that all formats know. */
type Own = {
  /** Keys that `read` looks at. */
  readonly keys: readonly string[];
  /** Keys whose values are data of tools. */
  readonly toolData: readonly string[];
  readonly read: (object: ObjectView, found: Finding) => void;
};

export type NamedRules = { readonly keys: KeyList; readonly read: Own["read"] };

/** Keys whose values no answer gives, in any format. */
const foreignKeys = [
  "assistant_id",
  "cached_content",
  "cachedcontent",
  "chatid",
  "collection_ids",
  "conversation_id",
  "data_sources",
  "file_ids",
  "file_search_store_names",
  "filesearchstorenames",
  "knowledge_id",
  "knowledge_ids",
  "library_ids",
  "memory_store_id",
  "previous_message_id",
  "retrieval",
  "thread_id",
  "user_profile_id",
  "vector_store_id",
  "vector_store_ids",
] as const;

/** Keys whose values are addresses, which may be those of files that the upstream keeps. */
const addressKeys = [
  "audio_url",
  "document_url",
  "file_uri",
  "file_url",
  "fileuri",
  "image_url",
  "url",
  "video_url",
] as const;

const sharedKeys = [...foreignKeys, ...addressKeys, "file_id", "id", "skill_id", "type", "voice"];

/** Keys whose values are schemas, or say where a text comes from. */
const plainData = [
  "annotations",
  "arguments",
  "citations",
  "input_schema",
  "inputSchema",
  "json_schema",
  "metadata",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "responseJsonSchema",
  "responseSchema",
  "response_json_schema",
  "response_schema",
  "schema",
];

export function namedRules({ keys, toolData, read }: Own): NamedRules {
  return { keys: keyList([...sharedKeys, ...keys], [...plainData, ...toolData]), read };
}

/** The rules of formats whose answers give nothing that a request could name. */
const sharedRules = namedRules({ keys: [], toolData: [], read: () => {} });

/**
 * The keys that tell whether a request may name anything, so that only then all of it is read.
 *
 * @param own keys of the format that do so too.
 */
export function namingKeys(own: readonly string[]): readonly string[] {
  return [...foreignKeys, ...addressKeys, ...own, "file_id", "skill_id", "voice"];
}

/** Finds what a body names, which is known to be one JSON object. */
export function readNamed(bytes: Uint8Array, { keys, read }: NamedRules = sharedRules): Named {
  const found: Finding = { given: [], foreign: "" };
  const isWhole = walkObjects(bytes, keys, (object) => {
    if (found.foreign === "") found.foreign = foreignIn(object);
    read(object, found);
  });
  return isWhole ? found : { given: [], foreign: tooMany };
}

/** Stands for a field where a request has more of these keys than are read. */
const tooMany = "the request";

type Kind = "address" | "always" | "file" | "id" | "skill";

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...foreignKeys.map((key) => [key, "always"] as const),
  ...addressKeys.map((key) => [key, "address"] as const),
  ["file_id", "file"],
  ["id", "id"],
  ["skill_id", "skill"],
]);

/** Returns the key of the object's members that no answer gives; empty: there is none. */
function foreignIn(object: ObjectView): string {
  for (const member of object.members) {
    const kind = kinds.get(member.key);
    if (kind === undefined || !isSomething(object.bytes, member)) continue;
    if (isForeign(object, member, kind)) return kind === "id" ? "voice.id" : member.key;
  }
  return "";
}

function isForeign(object: ObjectView, member: Field, kind: Kind): boolean {
  switch (kind) {
    case "always":
      return true;
    case "address":
      return addressesIn(object.bytes, member).some(isKept);
    case "file":
      return !isToolOutput(object);
    case "id":
      return object.place?.key === "voice";
    case "skill":
      return !isPublicSkill(object);
  }
}

/** Whether the object is output of a provider's own tool, which a later turn repeats. */
function isToolOutput(object: ObjectView): boolean {
  const types = textsUnder(object, "type");
  return types.length > 0 && types.every((type) => type.endsWith("_output"));
}

/** Whether the object names a skill that the provider offers to all. */
function isPublicSkill(object: ObjectView): boolean {
  const types = textsUnder(object, "type");
  if (types.length > 0 && types.every((type) => type === "anthropic")) return true;
  return textsUnder(object, "skill_id").every((id) => id.startsWith("openai-"));
}

/** Schemes of addresses at which no upstream keeps anything. */
const openScheme = /^\s*(?:about|blob|chrome|data|ftp|https?|mailto):/i;
const anyScheme = /^\s*[a-z][a-z\d+.-]{0,30}:/i;
const ofFile = /^\s*\/?(?:v\d\w*\/)?files\//;

/** The hosts at which Google keeps files. */
const fileHost = /^generativelanguage\.googleapis\.com$|aiplatform\.googleapis\.com$/;

/** Whether a text is the address of something that the upstream keeps. */
function isKept(text: string): boolean {
  if (text === tooLong) return true;
  if (ofFile.test(text)) return true;
  if (!openScheme.test(text)) return anyScheme.test(text);
  if (!/^\s*https?:/i.test(text) || !URL.canParse(text.trim())) return false;
  return fileHost.test(new URL(text.trim()).hostname);
}
