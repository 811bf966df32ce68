import type { Json, JsonObject } from "#base/json.ts";
import { type Item, type Opaque, type Part, type Role, textPart } from "#canonical/request.ts";
import { field, nativeIssuer, readMedia } from "#formats/gemini-generate/wire.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { unwrapOpaque } from "#formats/shared/opaque-text.ts";
import { asObject, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { openWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

/** Reads the system instruction, which may be a text or a content. */
export function parseSystem(instruction: Json | undefined): readonly Item[] {
  const given = asObject(instruction);
  const single = textOf(instruction) || textOf(given?.["text"]);
  const texts =
    single === ""
      ? listOf(given?.["parts"]).map((part) => textOf(objectOf(part)["text"]))
      : [single];
  return texts
    .filter((text) => text !== "")
    .map((text) => ({ type: "message", role: "system", parts: [textPart(text)] }));
}

/** Turns the contents into items. */
export function parseContents(contents: readonly Json[], losses: Losses): readonly Item[] {
  const waiting = openWaitingCalls();
  const count = { calls: 0 };
  return contents.flatMap((each): readonly Item[] => {
    const content = objectOf(each);
    const role = content["role"] === "model" ? "assistant" : "user";
    return parseParts(listOf(content["parts"]), { role, waiting, count, losses });
  });
}

type Context = {
  readonly role: Role;
  readonly waiting: WaitingCalls;
  readonly count: { calls: number };
  readonly losses: Losses;
};

function parseParts(list: readonly Json[], context: Context): readonly Item[] {
  const items: Item[] = [];
  let parts: Part[] = [];
  const endMessage = () => {
    if (parts.length > 0) items.push({ type: "message", role: context.role, parts });
    parts = [];
  };
  let isCopied = false;
  for (const each of list) {
    const part = objectOf(each);
    if (isCopied && isOfCode(part)) continue;
    const spoken = parsePart(part);
    if (spoken !== undefined) {
      parts.push(spoken);
      continue;
    }
    const item = parseItem(part, context);
    if (item === undefined) continue;
    isCopied = item.type === "reasoning" && isForeignItem(item.opaque);
    endMessage();
    items.push(item);
  }
  endMessage();
  return items;
}

/** Whether code that another provider ran was written behind this item, which it has in its own form. */
function isForeignItem(opaque: Opaque | null): boolean {
  return opaque?.kind === "item" && opaque.issuer !== nativeIssuer;
}

function isOfCode(part: JsonObject): boolean {
  return part["executableCode"] !== undefined || part["codeExecutionResult"] !== undefined;
}

function signatureOf(part: JsonObject): Opaque | null {
  const value = textOf(field(part, "thoughtSignature"));
  return value === "" ? null : unwrapOpaque(value, { issuer: nativeIssuer, kind: "signature" });
}

function parsePart(part: JsonObject): Part | undefined {
  if (part["thought"] === true) return undefined;
  if (typeof part["text"] === "string") {
    const opaque = signatureOf(part);
    const { text } = part;
    return text === "" && opaque === null ? undefined : { ...textPart(text), opaque };
  }
  return readMedia(part);
}

function parseItem(part: JsonObject, { role, waiting, count, losses }: Context): Item | undefined {
  const call = asObject(field(part, "functionCall"));
  const result = asObject(field(part, "functionResponse"));
  if (part["thought"] === true) {
    const text = textOf(part["text"]);
    const opaque = signatureOf(part);
    return { type: "reasoning", text, opaque, isSummary: true };
  }
  if (call !== undefined) {
    const name = textOf(call["name"]);
    count.calls += 1;
    const callId = textOf(call["id"]) || madeId(`${name} ${count.calls}`);
    waiting.add({ callId, name });
    const argsText = JSON.stringify(objectOf(call["args"]));
    const opaque = signatureOf(part);
    return { type: "tool-call", callId, name, argsText, form: "json", opaque, cache: null };
  }
  if (result !== undefined) return parseResult(result, waiting);
  const [kind] = Object.keys(part).filter((key) => key !== "thoughtSignature" && key !== "text");
  if (kind === undefined) return undefined;
  losses.addGiven(kind, "contents[].parts[].");
  return { type: "hosted", kind, role, issuer: nativeIssuer, raw: part };
}

/** Reads a result. Without an id it belongs to the oldest call of its name that has none yet. */
function parseResult(result: JsonObject, waiting: WaitingCalls): Item {
  const name = textOf(result["name"]);
  const id = textOf(result["id"]);
  const call = id === "" ? waiting.takeByName(name) : waiting.takeById(id);
  const callId = call?.callId ?? (id || madeId(name));
  const response = objectOf(result["response"]);
  const failed = response["error"] !== undefined && Object.keys(response).length === 1;
  const media = listOf(result["parts"]).flatMap((part) => readMedia(objectOf(part)) ?? []);
  const parts: Part[] = [textPart(responseText(response)), ...media];
  return { type: "tool-result", callId, name: call?.name ?? name, parts, failed, cache: null };
}

/** Clients wrap a text in an object with one of these fields, because the format wants an object. */
const wrappers = ["result", "output", "error", "content"] as const;

function responseText(response: JsonObject): string {
  const [name, ...more] = Object.keys(response);
  const wrapper = more.length === 0 ? wrappers.find((each) => each === name) : undefined;
  const inner = wrapper === undefined ? response : response[wrapper];
  return typeof inner === "string" ? inner : JSON.stringify(inner ?? null);
}
