import type { Item, ToolCallItem, ToolResultItem } from "#canonical/request.ts";
import { textPart } from "#canonical/request.ts";

/** What the model is told of a call whose result the client left out. */
const missingText = "(no result)";

/**
 * Puts the results of tool calls directly behind the turn that made the calls, in their order,
 * because most upstreams refuse a conversation in which calls and results do not pair. A missing
 * result is made up; a result without a call is left out. Results that name no call, and those that
 * are all of a conversation, are what the user says: agents begin conversations in this way.
 */
export function pairTools(given: readonly Item[]): {
  readonly items: readonly Item[];
  readonly orphans: number;
} {
  const areAlone = !given.some(isTurn);
  const areNamed = given.some((item) => item.type === "tool-call" && item.callId === "");
  const isSaid = (item: Item): item is ToolResultItem =>
    item.type === "tool-result" && (areAlone || (item.callId === "" && !areNamed));
  const items = given.map((item) => (isSaid(item) ? saidOf(item) : item));
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

function saidOf({ parts }: ToolResultItem): Item {
  return { type: "message", role: "user", parts };
}

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
