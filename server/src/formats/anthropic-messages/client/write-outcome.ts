/** Writes what tools of another provider did, as blocks of tools that the server used. */

import type { JsonObject } from "#base/json.ts";
import type { HostedOutcome } from "#canonical/request.ts";
import { copyMark } from "#formats/shared/opaque-text.ts";
import { asObject, parseJson } from "#formats/shared/read-json.ts";

/** A block that used a tool, and the one of its result. */
type OutcomeBlocks = readonly [JsonObject, JsonObject];

/** Whether a block is a copy that the gateway has written. */
export function isOwnBlock({ id, tool_use_id: used }: JsonObject): boolean {
  const given = used ?? id;
  return typeof given === "string" && ownId.test(given);
}

const ownId = new RegExp(`^(?:srvtoolu|mcptoolu)_${copyMark}_`);

/**
 * Returns the blocks.
 *
 * @param place tells the tool's use from all others of the conversation.
 */
export function writeOutcome(outcome: HostedOutcome, place: string): OutcomeBlocks {
  const end = `_${copyMark}_${place.replaceAll(/[^A-Za-z0-9_-]/g, "")}`;
  const id = `${outcome.type === "mcp" ? "mcptoolu" : "srvtoolu"}${end}`;
  switch (outcome.type) {
    case "web-search": {
      const { failed, queries, sources } = outcome;
      const found = sources.map(({ title, url }) => ({
        type: "web_search_result",
        url,
        title,
        encrypted_content: "",
        page_age: null,
      }));
      const error = { type: "web_search_tool_result_error", error_code: "unavailable" };
      return [
        { type: "server_tool_use", id, name: "web_search", input: { query: queries.join("; ") } },
        { type: "web_search_tool_result", tool_use_id: id, content: failed ? error : found },
      ];
    }
    case "mcp": {
      const { argsText, failed, label, name, output } = outcome;
      const input = asObject(parseJson(argsText)) ?? {};
      const content = [{ type: "text", text: output }];
      return [
        { type: "mcp_tool_use", id, name, server_name: label, input },
        { type: "mcp_tool_result", tool_use_id: id, is_error: failed, content },
      ];
    }
    case "code-execution": {
      const { code, failed, output } = outcome;
      const content = {
        type: "code_execution_result",
        stdout: failed ? "" : output,
        stderr: failed ? output : "",
        return_code: failed ? 1 : 0,
        content: [],
      };
      return [
        { type: "server_tool_use", id, name: "code_execution", input: { code } },
        { type: "code_execution_tool_result", tool_use_id: id, content },
      ];
    }
  }
}
