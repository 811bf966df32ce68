import type { JsonObject } from "#base/json.ts";
import type {
  CanonicalRequest,
  Item,
  Opaque,
  Part,
  ToolCallItem,
  ToolResultItem,
} from "#canonical/request.ts";
import { nativeIssuer, standIn, writeMedia } from "#formats/gemini-generate/wire.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { itemsOf } from "#formats/shared/opaque-item.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsObject, openResultReader, type ResultReader } from "#formats/shared/tool-args.ts";
import { alternate, splitSystem } from "#formats/shared/upstream/alternate.ts";
import { attachSignatures } from "#formats/shared/upstream/attach-signatures.ts";

type Written = {
  readonly system: readonly JsonObject[];
  readonly contents: readonly JsonObject[];
};

/** Writes the conversation: the system instruction, then contents whose roles alternate. */
export function writeContents(request: CanonicalRequest, losses: Losses): Written {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = attachSignatures(paired.items, nativeIssuer);
  // Each call has one result, in the same order: an id may belong to several.
  const calls = items.filter((item) => item.type === "tool-call").values();
  const results: Results = { calls, objectOf: openResultReader() };
  const { system: prompts, spoken } = splitSystem(items);
  const system = prompts.flatMap((item) => textsOfItem(item));
  const messages = alternate(spoken, (item) => writeItem(item, results, losses));
  const contents = messages.map(({ role, content }) => ({
    role: role === "assistant" ? "model" : "user",
    parts: content,
  }));
  for (const { role, parts } of contents) if (role === "model") signCalls(parts);
  if (contents.length === 0) contents.push({ role: "user", parts: [{ text: "" }] });
  // A call comes behind something that the user says.
  const [first] = contents;
  const isCall = first?.role === "model" && first.parts.some((part) => part["functionCall"]);
  if (isCall) contents.unshift({ role: "user", parts: [{ text: "..." }] });
  return { system, contents };
}

/** The first call of a turn must be signed; the others of the same turn need not be. */
function signCalls(parts: JsonObject[]): void {
  const at = parts.findIndex((part) => part["functionCall"] !== undefined);
  const call = parts[at];
  if (call === undefined || call["thoughtSignature"] !== undefined) return;
  parts[at] = { ...call, thoughtSignature: standIn };
}

function textsOfItem(item: Item): readonly JsonObject[] {
  if (item.type !== "message") return [];
  return item.parts.flatMap((part) =>
    part.type === "text" && part.text !== "" ? [{ text: part.text }] : [],
  );
}

/** What results need of the conversation. */
type Results = { readonly calls: Iterator<ToolCallItem>; readonly objectOf: ResultReader };

function writeItem(item: Item, results: Results, losses: Losses): JsonObject[] {
  switch (item.type) {
    case "message":
      return item.parts.flatMap((part) => writePart(part, losses));
    case "reasoning": {
      const { text, opaque } = item;
      if (opaque?.issuer === nativeIssuer) {
        if (opaque.kind === "item") return itemsOf(opaque.value);
        return [{ text, thought: true, thoughtSignature: opaque.value }];
      }
      losses.add("reasoning of earlier turns");
      return [];
    }
    case "tool-call": {
      const { name, opaque } = item;
      return [{ functionCall: { name, args: argsObject(item) }, ...signature(opaque) }];
    }
    case "tool-result": {
      const { value: call } = results.calls.next();
      const name = item.name || (call?.name ?? "tool");
      const response = writeResponse(item, results.objectOf);
      const media = item.parts.flatMap((part) =>
        part.type === "media" ? writePart(part, losses) : [],
      );
      return [{ functionResponse: { name, response } }, ...media];
    }
    case "hosted":
      if (item.issuer === nativeIssuer) return [item.raw];
      losses.addGiven(item.kind);
      return [];
  }
}

function signature(opaque: Opaque | null): JsonObject {
  return opaque?.issuer === nativeIssuer ? { thoughtSignature: opaque.value } : {};
}

/** The result as an object, which the format requires. References in it would be misread. */
function writeResponse({ parts, failed }: ToolResultItem, objectOf: ResultReader): JsonObject {
  const text = parts.map((part) => (part.type === "media" ? "" : part.text)).join("");
  if (failed) return { error: text };
  const object = text.includes('"$ref"') ? undefined : objectOf(text);
  return object ?? { result: text };
}

function writePart(part: Part, losses: Losses): readonly JsonObject[] {
  if (part.type === "text") {
    if (part.text === "" && part.opaque === null) return [];
    return [{ text: part.text, ...signature(part.opaque) }];
  }
  if (part.type === "refusal") return [{ text: part.text }];
  const written = writeMedia(part);
  if (written !== undefined) return [written];
  losses.add(part.kind);
  return [];
}
