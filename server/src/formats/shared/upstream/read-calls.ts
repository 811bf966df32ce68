import type { JsonObject } from "#base/json.ts";
import type { Opaque } from "#canonical/request.ts";
import type { AnswerEvents } from "#formats/shared/answer-events.ts";
import { asObject, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { madeId } from "#formats/shared/tool-ids.ts";

/** Reads the tool calls of an answer. */
export type CallReader = {
  /** Reads the calls in a message, or in a piece of one. */
  read(output: JsonObject): void;
  /** Ends the last call, or signs the text of an answer without calls. */
  end(): void;
};

/**
 * A call whose pieces arrive. Calls are passed on one after the other; the pieces of a call that
 * begins before the one ahead is complete are kept until then.
 */
type Call = {
  readonly index: number;
  readonly callId: string;
  name: string;
  readonly isCustom: boolean;
  readonly opaque: Opaque | null;
  /** Pieces that are not passed on yet. */
  pieces: string;
  /** How deep the JSON of the arguments is nested so far, to see where it is complete. */
  readonly depth: Depth;
};

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  readonly calls: Call[];
  /** The first call with each id, and the last one with each index. */
  readonly byId: Map<string, Call>;
  readonly byIndex: Map<number, Call>;
  /** How many calls were passed on completely. */
  passed: number;
  /** Whether the call behind these has begun. */
  begun: boolean;
  /** A signature of the whole message, which belongs to its first call, or without one to its text. */
  signature: Opaque | null;
};

export function openCalls(events: AnswerEvents, seed: string): CallReader {
  const reading: Reading = {
    events,
    seed,
    calls: [],
    byId: new Map(),
    byIndex: new Map(),
    passed: 0,
    begun: false,
    signature: null,
  };
  return { read: (output) => read(reading, output), end: () => end(reading) };
}

/** A signature of a message without calls is that of its text. */
function end(reading: Reading): void {
  const { events, calls, signature } = reading;
  pass(reading, true);
  if (calls.length === 0 && signature !== null) events.opaque({ ...signature, id: "text" });
}

function read(reading: Reading, output: JsonObject): void {
  const list = listOf(output["tool_calls"]);
  reading.signature ??= signatureOf(output);
  for (const [position, each] of list.entries()) {
    readCall(reading, objectOf(each), position, list.length);
  }
  const old = asObject(output["function_call"]);
  if (old !== undefined && (textOf(old["name"]) !== "" || textOf(old["arguments"]) !== "")) {
    readCall(reading, { index: 0, type: "function", function: old }, 0, 1);
  }
  pass(reading, false);
}

function readCall(reading: Reading, call: JsonObject, position: number, count: number): void {
  const { calls, seed } = reading;
  const free = objectOf(call["custom"]);
  // Snowflake sends an empty custom call beside each function.
  const isFree = textOf(free["name"]) !== "" || textOf(free["input"]) !== "";
  const isCustom = call["type"] === "custom" || isFree;
  const called = isCustom ? free : objectOf(call["function"]);
  const name = textOf(called["name"]);
  const id = textOf(call["id"]);
  const found = find(reading, call, { id, name, position, count });
  const target = found ?? {
    index: numberOf(call["index"]) ?? calls.length,
    callId: id === "" ? madeId(`${seed} ${calls.length}`) : id,
    name,
    isCustom,
    opaque: signatureOf(call) ?? (calls.length === 0 ? reading.signature : null),
    pieces: "",
    depth: newDepth(),
  };
  if (found === undefined) add(reading, target);
  target.name ||= name;
  const given = isCustom ? called["input"] : called["arguments"];
  const piece = given === undefined || given === null ? "" : argsOf(given);
  target.pieces += piece;
  follow(target.depth, piece);
}

function add({ byId, byIndex, calls }: Reading, call: Call): void {
  calls.push(call);
  if (!byId.has(call.callId)) byId.set(call.callId, call);
  byIndex.set(call.index, call);
}

type Piece = {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly count: number;
};

/**
 * Finds the call that a piece belongs to. Servers number calls by `index`; some leave it out, and
 * some give every call the index 0 but an id of its own.
 */
function find(
  { byId, byIndex, calls }: Reading,
  { index: number }: JsonObject,
  { id, name, position, count }: Piece,
): Call | undefined {
  const index = numberOf(number);
  if (index === null) {
    if (id !== "") return byId.get(id);
    return name === "" || count > 1 ? calls[position] : undefined;
  }
  const same = byIndex.get(index);
  const isOther = same !== undefined && id !== "" && id !== same.callId && name !== "";
  return isOther ? undefined : same;
}

/** Passes on what has arrived, one call after the other. */
function pass(reading: Reading, isEnd: boolean): void {
  const { events, calls } = reading;
  for (;;) {
    const call = calls[reading.passed];
    if (call === undefined) return;
    if (!reading.begun) {
      // The name may come later than the index.
      if (call.name === "" && !isEnd) return;
      const { callId, name, isCustom, opaque } = call;
      events.toolCall({ callId, name, form: isCustom ? "text" : "json", opaque });
      reading.begun = true;
    }
    events.args(call.pieces);
    call.pieces = "";
    const isLast = reading.passed === calls.length - 1;
    if (!isEnd && (isLast || !isComplete(call.depth))) return;
    reading.passed += 1;
    reading.begun = false;
  }
}

/** Reads the signature that Google's layer of this format adds to a call or, earlier, to a message. */
function signatureOf(signed: JsonObject): Opaque | null {
  const { thought_signature: signature } = objectOf(objectOf(signed["extra_content"])["google"]);
  const value = textOf(signature);
  return value === "" ? null : { issuer: "google", kind: "signature", value, id: "call" };
}

type Depth = { open: number; seen: boolean; inText: boolean; escaped: boolean };

function newDepth(): Depth {
  return { open: 0, seen: false, inText: false, escaped: false };
}

/** Follows the nesting of JSON through the next piece. */
function follow(depth: Depth, piece: string): void {
  for (const character of piece) {
    if (depth.inText) {
      if (depth.escaped) depth.escaped = false;
      else if (character === "\\") depth.escaped = true;
      else if (character === '"') depth.inText = false;
    } else if (character === '"') depth.inText = true;
    else if (character === "{" || character === "[") {
      depth.open += 1;
      depth.seen = true;
    } else if (character === "}" || character === "]") depth.open -= 1;
  }
}

/** Whether the arguments are complete; a call may have none. */
function isComplete({ open, inText }: Depth): boolean {
  return open <= 0 && !inText;
}
