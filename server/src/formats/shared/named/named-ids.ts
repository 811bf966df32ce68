/**
 * Finds what a request names of all that an upstream keeps: answers, conversations, files, stores,
 * containers. Whoever knows such an id could read what another user of the same account has there.
 *
 * The names count wherever they stand, but for data of tools and schemas, in which they mean
 * something else. Where a name is used was read in the documentation of OpenAI, Anthropic and Google
 * and of the servers that speak their formats on 2026-11-29.
 */

import {
  addressesIn,
  isSomething,
  keyList,
  type KeyList,
  type Field,
  type ObjectView,
  textsUnder,
  walkObjects,
} from "./walk-objects.ts";

/** What a request names of all that upstreams keep. */
export type Named = {
  readonly given: readonly NamedId[];
  /** A field with an id that no answer gives; empty: there is none. */
  readonly foreign: string;
};

/** An id that an answer may have given to the caller. */
export type NamedId = {
  readonly text: string;
  readonly field: string;
  /**
   * Whether it only stands with a copy of what it names, as items of an earlier answer do. To an
   * upstream of another format it is nothing.
   */
  readonly isEcho: boolean;
};

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

/** Keys whose values are pictures and films themselves, or their addresses. */
const contentKeys = ["image", "images", "video", "videos"] as const;

/** The key of a file's bytes, which some servers take as an address. */
const fileKey = "file_data";

/** The key under which sound stands as `data`, which some servers take as an address. */
const soundKey = "input_audio";

/** Keys of objects with addresses from which nobody reads a file. */
const mentioning = ["action", "data", "documents", "sources"] as const;

const sharedKeys = [
  ...foreignKeys,
  ...addressKeys,
  ...contentKeys,
  ...mentioning,
  fileKey,
  soundKey,
  "file_id",
  "id",
  "skill_id",
  "type",
  "voice",
];

/** Keys whose values are schemas, or say where a text comes from. */
const plainData = [
  "annotations",
  "arguments",
  "citations",
  "client_metadata",
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
  const shared = [...foreignKeys, ...addressKeys, ...contentKeys];
  return [...shared, ...own, fileKey, "file_id", soundKey, "skill_id", "voice"];
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

type Kind = "address" | "always" | "bytes" | "content" | "file" | "id" | "skill" | "sound";

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...foreignKeys.map((key) => [key, "always"] as const),
  ...addressKeys.map((key) => [key, "address"] as const),
  ...contentKeys.map((key) => [key, "content"] as const),
  ["data", "sound"],
  [fileKey, "bytes"],
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
      return addressesIn(object.bytes, member).some(isMentioned(object) ? seemsKept : isKept);
    case "bytes":
      return addressesIn(object.bytes, member).some(isNoFile);
    case "content":
      return addressesIn(object.bytes, member).some(seemsKept);
    case "sound":
      return object.place?.key === soundKey && addressesIn(object.bytes, member).some(isNoFile);
    case "file":
      return !isToolOutput(object);
    case "id":
      return object.place?.key === "voice";
    case "skill":
      return !isPublicSkill(object);
  }
}

/** Objects in which Anthropic's tools say what files they made. A later turn repeats them. */
const outputTypes: ReadonlySet<string> = new Set([
  "bash_code_execution_output",
  "code_execution_output",
]);

function isToolOutput(object: ObjectView): boolean {
  const types = textsUnder(object, "type");
  return types.length > 0 && types.every((type) => outputTypes.has(type));
}

/** Whether the object names a skill that the provider offers to all. */
function isPublicSkill(object: ObjectView): boolean {
  const types = textsUnder(object, "type");
  if (types.length > 0 && types.every((type) => type === "anthropic")) return true;
  return textsUnder(object, "skill_id").every((id) => id.startsWith("openai-"));
}

/** Whether an address here is that of a page that a tool or a document mentions. */
function isMentioned({ place }: ObjectView): boolean {
  return place !== null && mentioning.some((key) => key === place.key);
}

const dataUrl = /^\s*data:/i;
/** An address with a host, which all parsers take for the same. */
const webAddress = /^\s*https?:\/\/[^\s/\\?#@][^\s/\\?#]*(?:[/?#]|\s*$)/i;

/** Parts of the names of hosts at which Google keeps files. */
const fileHost = /generativelanguage|aiplatform/;

/** The name of a file, with or without what stands before it. */
const ofFile = /(?:^|\W)files\//i;

/** Bytes of a picture, which are more than any name has; of long ones only the beginning is read. */
const picture = /^\s*[\w+/-]{60,}={0,2}\s*$/;

/** Whether a text is, or may be, the address of something that the upstream keeps. */
function isKept(text: string): boolean {
  if (dataUrl.test(text)) return false;
  if (webAddress.test(text)) {
    const address = text.trim();
    return !URL.canParse(address) || fileHost.test(new URL(address).hostname);
  }
  return !picture.test(text) || namesFile(text);
}

/** Whether a text begins with the name of a file. A picture's bytes may look so further on. */
function namesFile(text: string): boolean {
  return ofFile.test(text.slice(0, 40));
}

/** Whether a text is neither bytes in base64 nor an address at which no upstream keeps anything. */
function isNoFile(text: string): boolean {
  return isKept(text) && (namesFile(text) || !/^[\w+/]*={0,2}\s*$/.test(text));
}

const anyScheme = /^\P{L}*[a-z][a-z\d+.-]{0,30}:/iu;
/** Schemes of addresses at which no upstream keeps anything. */
const openScheme = /^\s*(?:about|blob|chrome|ftp|mailto):/i;

/** Whether a text that may be no address at all is that of something that the upstream keeps. */
function seemsKept(text: string): boolean {
  if (!isKept(text) || openScheme.test(text)) return false;
  return text.includes("://") || anyScheme.test(text) || !isPlain(text) || ofFile.test(text);
}

/** Whether no sign is one that readers may leave out or take for another. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e\s]*$/.test(text);
}
