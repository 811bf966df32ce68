/** Reads what tools of OpenAI did, in words that other formats share. */

import type { JsonObject } from "#base/json.ts";
import type { HostedOutcome } from "#canonical/request.ts";
import { listOf, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";

/** Returns what an item of an answer tells; undefined: other formats have no words for it. */
export function readOutcome(item: JsonObject): HostedOutcome | undefined {
  const failed = item["status"] === "failed";
  switch (item["type"]) {
    case "web_search_call":
      return readSearch(objectOf(item["action"]), failed);
    case "code_interpreter_call": {
      const outputs = listOf(item["outputs"]).map((each) => textOf(objectOf(each)["logs"]));
      return {
        type: "code-execution",
        code: textOf(item["code"]),
        output: outputs.join(""),
        failed,
      };
    }
    case "mcp_call": {
      const error = errorText(item["error"]);
      return {
        type: "mcp",
        label: textOf(item["server_label"]),
        name: textOf(item["name"]),
        argsText: argsOf(item["arguments"] ?? ""),
        output: textOf(item["output"]) || error,
        failed: failed || error !== "",
      };
    }
    default:
      return undefined;
  }
}

/** Returns what the model wrote in an item for the tool that it used; empty: nothing. */
export function writtenIn({ arguments: args, code, input }: JsonObject): string {
  return textOf(code) || textOf(input) || (args === undefined ? "" : argsOf(args));
}

/** A page that was opened is no search: nobody else has a tool that only looks at one. */
function readSearch(action: JsonObject, failed: boolean): HostedOutcome | undefined {
  const queries = textsOf(action["queries"]);
  const query = textOf(action["query"]);
  if (query === "" && queries.length === 0) return undefined;
  const sources = listOf(action["sources"]).flatMap((each) => {
    const { title, url } = objectOf(each);
    return textOf(url) === "" ? [] : [{ url: textOf(url), title: textOf(title) }];
  });
  return { type: "web-search", queries: queries.length > 0 ? queries : [query], sources, failed };
}

/** An error is a text, or an object of one. */
function errorText(error: JsonObject[string] | undefined): string {
  if (error === undefined || error === null) return "";
  const { message } = objectOf(error);
  return textOf(error) || textOf(message) || "the tool failed";
}
