/** Reads what tools of Anthropic did, in words that other formats share. */

import type { JsonObject } from "#base/json.ts";
import type { HostedOutcome } from "#canonical/request.ts";
import { blocksOf } from "#formats/anthropic-messages/wire.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";

/** The blocks of an answer that use a tool, by their ids: their results come in blocks of their own. */
export type HostedUses = Map<string, JsonObject>;

/**
 * Returns what a block tells together with the one that used the tool, which is noted when it comes.
 * Undefined: it is no result, or other formats have no words for it.
 */
export function readOutcome(uses: HostedUses, block: JsonObject): HostedOutcome | undefined {
  const type = textOf(block["type"]);
  if (type === "server_tool_use" || type === "mcp_tool_use") uses.set(textOf(block["id"]), block);
  const used = uses.get(textOf(block["tool_use_id"]));
  if (used === undefined) return undefined;
  const input = objectOf(used["input"]);
  switch (type) {
    case "web_search_tool_result":
      return readSearch(textOf(input["query"]), block);
    case "code_execution_tool_result":
    case "bash_code_execution_tool_result":
      return readCode(textOf(input["code"]) || textOf(input["command"]), block);
    case "mcp_tool_result":
      return {
        type: "mcp",
        label: textOf(used["server_name"]),
        name: textOf(used["name"]),
        argsText: argsOf(input),
        output: blocksOf(block["content"])
          .map((each) => textOf(each["text"]))
          .join(""),
        failed: block["is_error"] === true,
      };
    default:
      return undefined;
  }
}

/** Returns what the model wrote in a block for the tool that it used; empty: it used none. */
export function writtenIn(block: JsonObject): string {
  return block["input"] === undefined ? "" : argsOf(block["input"]);
}

/** A search that failed has an error instead of the list of what it found. */
function readSearch(query: string, { content }: JsonObject): HostedOutcome {
  const sources = listOf(content).flatMap((each) => {
    const { title, url } = objectOf(each);
    return textOf(url) === "" ? [] : [{ url: textOf(url), title: textOf(title) }];
  });
  return { type: "web-search", queries: [query], sources, failed: !Array.isArray(content) };
}

function readCode(code: string, block: JsonObject): HostedOutcome {
  const { error_code: error, return_code: status, stderr, stdout } = objectOf(block["content"]);
  const output = `${textOf(stdout)}${textOf(stderr)}` || textOf(error);
  const failed = textOf(error) !== "" || (numberOf(status) ?? 0) !== 0;
  return { type: "code-execution", code, output, failed };
}
