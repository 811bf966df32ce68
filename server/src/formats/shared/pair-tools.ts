import type { Item, ToolCallItem, ToolResultItem } from "#canonical/request.ts";
import { textPart } from "#canonical/request.ts";

/** What the model is told of a call whose result the client left out. */
const missingText = "(no result)";

/**
 * Puts the results of tool calls directly behind the turn that made the calls, in their order,
 * because most upstreams refuse a conversation in which calls and results do not pair. A missing
 * result is made up; a result without a call is left out. Results that are all of a conversation get
 * calls that are made up, and results that name no call are what the user says: agents begin
 * conversations in this way.
 */
export function pairTools(given: readonly Item[]): {
  readonly items: readonly Item[];
  readonly orphans: number;
} {
  const items = withCalls(given.map(saidWithoutCall(given)));
  const results = new Map<string, Waiting>();
  let left = 0;
  for (const item of items) {
    if (item.type !== "tool-result") continue;
    left += 1;
    const known = results.get(item.callId);
    if (known === undefined) results.set(item.callId, { items: [item], taken: 0 });
    else known.items.push(item);
  }
  const paired: Item[] = [];
  let calls: ToolCallItem[] = [];
  const ids = new Set<string>();
  let answered = false;
  const answerCalls = () => {
    for (const call of calls) {
      const result = take(results.get(call.callId));
      if (result !== undefined) left -= 1;
      paired.push(result ?? missing(call));
    }
    calls = [];
    ids.clear();
    answered = false;
  };
  for (const item of items) {
    if (item.type === "tool-result") {
      answered ||= ids.has(item.callId);
      continue;
    }
    if (answered || !isOfModel(item)) answerCalls();
    paired.push(item);
    if (item.type !== "tool-call") continue;
    calls.push(item);
    ids.add(item.callId);
  }
  answerCalls();
  return { items: paired, orphans: left };
}

/** Returns what makes results that name no call a message of the user. */
function saidWithoutCall(items: readonly Item[]): (item: Item) => Item {
  const areNamed = items.some((item) => item.type === "tool-call" && item.callId === "");
  return (item) => {
    const isSaid = item.type === "tool-result" && item.callId === "" && !areNamed;
    return isSaid ? { type: "message", role: "user", parts: item.parts } : item;
  };
}

/** Puts calls in front of results that are all of a conversation. */
function withCalls(items: readonly Item[]): readonly Item[] {
  if (items.some(isTurn)) return items;
  const first = items.findIndex((item) => item.type === "tool-result");
  if (first < 0) return items;
  const calls = items.flatMap((item) => (item.type === "tool-result" ? [callOf(item)] : []));
  return items.toSpliced(first, 0, ...calls);
}

function callOf({ callId, name }: ToolResultItem): ToolCallItem {
  const made = { argsText: "{}", form: "json", opaque: null, cache: null } as const;
  return { type: "tool-call", callId, name: name === "" ? unknownTool : name, ...made };
}

/** Stands for a tool of which only a result is known. */
const unknownTool = "tool";

/** The results of calls with one id, of which the first ones were taken. */
type Waiting = { readonly items: ToolResultItem[]; taken: number };

function take(waiting: Waiting | undefined): ToolResultItem | undefined {
  const result = waiting?.items[waiting.taken];
  if (waiting !== undefined && result !== undefined) waiting.taken += 1;
  return result;
}

/** Whether the item is something other than a result or a system message. */
function isTurn(item: Item): boolean {
  return item.type === "message" ? item.role !== "system" : item.type !== "tool-result";
}

/** Whether the item is part of a turn of the model. */
export function isOfModel(item: Item): boolean {
  switch (item.type) {
    case "message":
    case "hosted":
      return item.role === "assistant";
    case "tool-result":
      return false;
    default:
      return true;
  }
}

function missing({ callId, name }: ToolCallItem): ToolResultItem {
  const parts = [textPart(missingText)];
  return { type: "tool-result", callId, name, parts, failed: true, cache: null };
}
