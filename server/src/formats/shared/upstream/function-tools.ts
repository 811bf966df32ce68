import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, CustomTool, FunctionTool } from "#canonical/request.ts";
import { strictOf } from "#formats/shared/fit/strict-schema.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { customParameters } from "#formats/shared/tool-args.ts";

/** Returns the tools of the client that the model may call. */
export function callableTools({
  tools,
  toolChoice,
}: Pick<CanonicalRequest, "toolChoice" | "tools">): readonly (CustomTool | FunctionTool)[] {
  const kept = toolChoice?.type === "subset" ? new Set(toolChoice.names) : null;
  return tools.flatMap((tool) => {
    if (tool.type === "hosted") return [];
    return kept === null || kept.has(tool.name) ? [tool] : [];
  });
}

/**
 * Returns the schema of a tool's input. A custom tool becomes a function with one text, because few
 * formats know another. Null: the tool takes no input.
 */
export function toolSchema(tool: CustomTool | FunctionTool, losses: Losses): JsonObject | null {
  if (tool.type === "function") return tool.parameters;
  losses.addIf(tool.grammar !== null, "tools.custom.format");
  return customParameters;
}

/** Writes the tools as functions in OpenAI's form, which other formats have taken over. */
export function writeFunctionTools(
  request: CanonicalRequest,
  losses: Losses,
): readonly JsonObject[] {
  return callableTools(request).map((tool) => {
    const { name } = tool;
    const description = tool.description === "" ? {} : { description: tool.description };
    const schema = toolSchema(tool, losses);
    const parameters = schema === null ? {} : { parameters: schema };
    const strict = tool.type === "function" ? strictOf(tool.strict, schema, losses) : null;
    const isStrict = strict === null ? {} : { strict };
    return { type: "function", function: { name, ...description, ...parameters, ...isStrict } };
  });
}
