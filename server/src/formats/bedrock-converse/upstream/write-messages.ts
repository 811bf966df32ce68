import type { JsonObject } from "#base/json.ts";
import type {
  Breakpoint,
  CanonicalRequest,
  Item,
  MediaPart,
  Part,
  TextPart,
} from "#canonical/request.ts";
import { nativeIssuer } from "#formats/bedrock-converse/wire.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { itemsOf } from "#formats/shared/opaque-item.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import { plainId, renameCalls } from "#formats/shared/tool-ids.ts";
import { alternate, splitSystem } from "#formats/shared/upstream/alternate.ts";

export type Conversation = {
  readonly system: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** Names of the tools that were called so far. */
  readonly calledTools: readonly string[];
  /** Whether a turn has tool calls, but does not begin with signed reasoning. */
  readonly unsignedCalls: boolean;
};

/** Stands where the format requires a text and the conversation has none. */
const filler: JsonObject = { text: "..." };

/** Writes the conversation, in which the roles alternate and the user begins. */
export function writeConversation(request: CanonicalRequest, losses: Losses): Conversation {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = renameCalls(paired.items, plainId);
  const { system: prompts, spoken } = splitSystem(items);
  const system = prompts.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? writeText(part) : [])),
  );
  const names = openNames();
  const messages = alternate(spoken, (item) => writeItem(item, names, losses));
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [filler] });
  for (const { content } of messages) {
    // A document must stand beside a text.
    const hasDocument = content.some((block) => block["document"] !== undefined);
    if (hasDocument && !content.some((block) => block["text"] !== undefined)) content.push(filler);
  }
  const calls = items.flatMap((item) => (item.type === "tool-call" ? [item.name] : []));
  return {
    system,
    messages,
    calledTools: [...new Set(calls)],
    unsignedCalls: messages.some(({ content }) => isUnsigned(content)),
  };
}

function isUnsigned(content: readonly JsonObject[]): boolean {
  const begins = content[0]?.["reasoningContent"] !== undefined;
  return !begins && content.some((block) => block["toolUse"] !== undefined);
}

function writeItem(item: Item, names: DocumentNames, losses: Losses): readonly JsonObject[] {
  switch (item.type) {
    case "message":
      return item.parts.flatMap((part) => writePart(part, names, losses));
    case "reasoning": {
      const { opaque, text } = item;
      if (opaque?.issuer !== nativeIssuer) {
        losses.add("reasoning of earlier turns");
        return [];
      }
      const { kind, value } = opaque;
      if (kind === "item") return itemsOf(value);
      return kind === "encrypted"
        ? [{ reasoningContent: { redactedContent: value } }]
        : [{ reasoningContent: { reasoningText: { text, signature: value } } }];
    }
    case "tool-call": {
      const toolUse = { toolUseId: item.callId, name: item.name, input: argsObject(item) };
      return [{ toolUse }, ...writeBreakpoint(item.cache)];
    }
    case "tool-result": {
      const content = item.parts.flatMap((part) => writePart(part, names, losses));
      const toolResult = {
        toolUseId: item.callId,
        content: content.length === 0 ? [filler] : content,
        ...(item.failed ? { status: "error" } : {}),
      };
      return [{ toolResult }, ...writeBreakpoint(item.cache)];
    }
    case "hosted":
      losses.addGiven(item.kind);
      return [];
  }
}

function writePart(part: Part, names: DocumentNames, losses: Losses): readonly JsonObject[] {
  if (part.type === "text") return writeText(part);
  if (part.type === "refusal") return writeText({ text: part.text, cache: null });
  const written = writeMedia(part, names);
  if (written !== undefined) return [written, ...writeBreakpoint(part.cache)];
  losses.add(part.kind);
  return [];
}

/** Leaves out a text of white space alone, because the API refuses it. */
function writeText({ text, cache }: Pick<TextPart, "cache" | "text">): readonly JsonObject[] {
  return text.trim() === "" ? [] : [{ text }, ...writeBreakpoint(cache)];
}

/** Writes a mark up to which the prompt is cached, which is a block of its own. */
export function writeBreakpoint(cache: Breakpoint | null): readonly JsonObject[] {
  if (cache === null) return [];
  const ttl = cache.ttl === "1h" ? { ttl: cache.ttl } : {};
  return [{ cachePoint: { type: "default", ...ttl } }];
}

/** Formats of documents by their media type; others are sent as text. */
const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** Formats of other media whose word differs from their media type. */
const mediaFormats: Readonly<Record<string, string>> = {
  mpeg: "mp3",
  quicktime: "mov",
  "x-matroska": "mkv",
  "x-wav": "wav",
};

const formatDefaults = { audio: "wav", image: "png", video: "mp4" } as const;

function writeMedia(part: MediaPart, names: DocumentNames): JsonObject | undefined {
  const { kind, mediaType, name, source } = part;
  if (source.type !== "bytes") return undefined;
  const bytes = { bytes: source.data };
  if (kind === "file") {
    const plain = mediaType.startsWith("text/") ? "txt" : "pdf";
    const format = documentFormats[mediaType] ?? plain;
    return { document: { format, name: names.take(name), source: bytes } };
  }
  const [, word = formatDefaults[kind]] = mediaType.split("/");
  const known = kind === "image" ? word.replace("jpg", "jpeg") : (mediaFormats[word] ?? word);
  return { [kind]: { format: known, source: bytes } };
}

/** Gives each document a name of its own, in the few characters that the format allows. */
type DocumentNames = { take(name: string): string };

function openNames(): DocumentNames {
  const used = new Set<string>();
  return {
    take(name) {
      const plain = name.replaceAll(/[^A-Za-z0-9 \-()[\]]+/g, " ").replaceAll(/\s+/g, " ");
      const base = plain.trim().slice(0, 180) || "document";
      let free = base;
      for (let count = 2; used.has(free); count += 1) free = `${base} ${count}`;
      used.add(free);
      return free;
    },
  };
}
