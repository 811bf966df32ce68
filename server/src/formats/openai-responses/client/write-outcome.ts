/** Writes what tools of another provider did, as calls that OpenAI would have run. */

import type { JsonObject } from "#base/json.ts";
import type { HostedOutcome, ReasoningItem } from "#canonical/request.ts";
import { copyMark } from "#formats/shared/opaque-text.ts";
import { type ItemContext, itemId } from "./write-items.ts";

/** Whether an item tells what a tool did, and nothing that must come back. */
export function isOutcomeAlone({ opaque, outcome, text }: ReasoningItem): boolean {
  return outcome !== undefined && opaque === null && text === "";
}

/** Whether an item is a copy that the gateway has written. Nobody needs it back. */
export function isOwnOutcome({ id }: JsonObject): boolean {
  return typeof id === "string" && ownId.test(id);
}

const ownId = /^(?:ws|ci|mcp)_tollgate_/;

/** Returns the id of such an item. */
function idOf(prefix: "ci" | "mcp" | "ws", slot: number, context: ItemContext): string {
  return `${itemId(prefix, context, slot)}_${copyMark}`;
}

/** Writes the item at its end. */
export function writeOutcome(
  outcome: HostedOutcome,
  slot: number,
  context: ItemContext,
): JsonObject {
  const status = outcome.failed ? "failed" : "completed";
  switch (outcome.type) {
    case "web-search": {
      const { queries, sources } = outcome;
      const action = {
        type: "search",
        query: queries.join("; "),
        queries,
        sources: sources.map(({ url }) => ({ type: "url", url })),
      };
      return { id: idOf("ws", slot, context), type: "web_search_call", status, action };
    }
    case "mcp": {
      const { argsText, failed, label, name, output } = outcome;
      const result = failed ? { output: null, error: output } : { output, error: null };
      const id = idOf("mcp", slot, context);
      const call = { server_label: label, name, arguments: argsText };
      return { id, type: "mcp_call", status, ...call, ...result };
    }
    case "code-execution": {
      const { code, output } = outcome;
      const outputs = output === "" ? [] : [{ type: "logs", logs: output }];
      // Nobody can open the container of another provider.
      const ran = { code, container_id: "", outputs };
      return { id: idOf("ci", slot, context), type: "code_interpreter_call", status, ...ran };
    }
  }
}

/** One event between the item's beginning and its end: its type, and fields beside its place. */
type Step = readonly [string, JsonObject];

/** Returns the item as it begins, and the events that lead to its end. */
export function stepsOf(
  outcome: HostedOutcome,
  item: JsonObject,
): { readonly head: JsonObject; readonly steps: readonly Step[] } {
  const begun = { ...item, status: "in_progress" };
  switch (outcome.type) {
    case "web-search":
      return {
        head: begun,
        steps: [
          ["response.web_search_call.in_progress", {}],
          ["response.web_search_call.searching", {}],
          ["response.web_search_call.completed", {}],
        ],
      };
    case "mcp": {
      const { argsText, failed } = outcome;
      return {
        head: { ...begun, arguments: "", output: null, error: null },
        steps: [
          ["response.mcp_call.in_progress", {}],
          ["response.mcp_call_arguments.delta", { delta: argsText }],
          ["response.mcp_call_arguments.done", { arguments: argsText }],
          [`response.mcp_call.${failed ? "failed" : "completed"}`, {}],
        ],
      };
    }
    case "code-execution": {
      const { code } = outcome;
      return {
        head: { ...begun, code: "", outputs: null },
        steps: [
          ["response.code_interpreter_call.in_progress", {}],
          ["response.code_interpreter_call_code.delta", { delta: code }],
          ["response.code_interpreter_call_code.done", { code }],
          ["response.code_interpreter_call.interpreting", {}],
          ["response.code_interpreter_call.completed", {}],
        ],
      };
    }
  }
}
