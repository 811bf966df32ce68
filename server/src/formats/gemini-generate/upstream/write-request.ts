/** Writes a canonical request as a generateContent request. */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, HostedMeaning, Tool, ToolChoice } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { meaningsOf } from "#formats/shared/hosted/hosted-tools.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { budgetOf, budgetWithin, effortOf } from "#formats/shared/reasoning.ts";
import { refuseSeveral, unsupported } from "#formats/shared/upstream/refuse.ts";
import { loseTier, tierOf } from "#formats/shared/tiers/service-tiers.ts";
import { customParameters } from "#formats/shared/tool-args.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { type Dialect, openDialect, takesJsonSchema } from "./schema.ts";
import { writeContents } from "./write-contents.ts";

const carriedTiers = ["flex", "priority"] as const;

const tooManyReferences = unsupported(
  "tools",
  "the upstream model takes no $ref, and written out, the references of the schemas are too large",
);

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseSeveral(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const model = quirks.baseModel ?? request.model;
  const { system, contents } = writeContents(request, losses);
  const dialect = openDialect();
  const declarations = writeTools(request, model, dialect, losses);
  const functions = declarations.length === 0 ? [] : [{ functionDeclarations: declarations }];
  const all = [...functions, ...meaningsOf(request).map((each) => writeHosted(each, losses))];
  const tools = all.length === 0 ? undefined : all;
  const choice = request.toolChoice;
  losses.addIf(request.parallelToolCalls === false, "parallel_tool_calls");
  losses.addIf(request.hints.verbosity !== "", "verbosity");
  losses.addIf(request.sampling.logitBias !== null, "logit_bias");
  loseTier(request, carriedTiers, losses);
  const tier = tierOf(request);
  const config = writeConfig(request, model, dialect, losses);
  if (dialect.isTooLarge()) return tooManyReferences;
  const fields = {
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents,
    tools,
    toolConfig:
      functions.length === 0 || choice === null
        ? undefined
        : { functionCallingConfig: writeChoice(choice) },
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
    // Without a word, the tier is the default one.
    serviceTier: tier === "flex" || tier === "priority" ? tier : undefined,
  };
  return finishBody(fields, quirks, losses);
}

function writeConfig(
  request: CanonicalRequest,
  model: string,
  dialect: Dialect,
  losses: Losses,
): JsonObject {
  const { limits, sampling, output, media } = request;
  const schema = output?.type === "json-schema" ? output.schema : undefined;
  const asJson = takesJsonSchema(model);
  const kinds = media === null ? [] : media.kinds.map((kind) => kind.toUpperCase());
  const voice = media?.voice
    ? { voiceConfig: { prebuiltVoiceConfig: { voiceName: media.voice } } }
    : undefined;
  return defined({
    temperature: sampling.temperature ?? undefined,
    topP: sampling.topP ?? undefined,
    topK: sampling.topK ?? undefined,
    maxOutputTokens: limits.maxOutputTokens ?? undefined,
    stopSequences: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
    seed: sampling.seed ?? undefined,
    presencePenalty: sampling.presencePenalty ?? undefined,
    frequencyPenalty: sampling.frequencyPenalty ?? undefined,
    responseLogprobs: sampling.logprobs === null ? undefined : true,
    logprobs: sampling.logprobs === null || sampling.logprobs === 0 ? undefined : sampling.logprobs,
    responseMimeType: output === null ? undefined : "application/json",
    responseJsonSchema: asJson ? schema : undefined,
    responseSchema: schema === undefined || asJson ? undefined : dialect.write(schema),
    responseModalities:
      kinds.length === 0 ? undefined : [...(kinds.includes("IMAGE") ? ["TEXT"] : []), ...kinds],
    speechConfig: voice,
    thinkingConfig: writeThinking(request, model, losses),
  });
}

/** Models from this version on take a level instead of a number of tokens. */
const levelModel = /gemini-([3-9]|\d\d)/;

/** Models that think. Others refuse the configuration. */
const thinkingModel = /gemini-(2\.5|[3-9]|\d\d)|gemini-.*thinking/;

/** Models that cannot be told not to think, and the least that they think. */
const alwaysThinks = /gemini-2\.5-pro/;
const leastBudget = 128;

function writeThinking(
  { limits, reasoning }: CanonicalRequest,
  model: string,
  losses: Losses,
): JsonObject | undefined {
  if (reasoning === null) return undefined;
  const wanted = budgetOf(reasoning);
  if (!thinkingModel.test(model)) {
    losses.addIf(wanted !== null, "reasoning");
    return undefined;
  }
  const includeThoughts = reasoning.visible ?? wanted !== null;
  if (levelModel.test(model) && reasoning.budgetTokens === null) {
    const effort = effortOf(reasoning);
    const isLow = effort === "none" || effort === "minimal" || effort === "low";
    return { includeThoughts, thinkingLevel: isLow ? "LOW" : "HIGH" };
  }
  // Thoughts take a part of the output limit, which stays as the client has set it.
  const most = wanted === null ? null : budgetWithin(reasoning, limits);
  const budget = wanted === null || most === null ? null : Math.min(wanted, most);
  const least = alwaysThinks.test(model) ? leastBudget : 0;
  losses.addIf((wanted !== null && budget === null) || (budget ?? 0) < least, "reasoning");
  return {
    includeThoughts: budget === null ? false : includeThoughts,
    thinkingBudget: Math.max(budget ?? 0, least),
  };
}

function writeTools(
  { tools }: CanonicalRequest,
  model: string,
  dialect: Dialect,
  losses: Losses,
): readonly JsonObject[] {
  return tools.flatMap((tool) =>
    tool.type === "hosted" ? [] : [writeFunction(tool, model, dialect, losses)],
  );
}

/** Models from the third on call functions and Google's own tools in one answer. */
const mixingModel = /gemini-([3-9]|\d\d)/;

/** Returns which tools Google runs for such a request: beside functions, only newer models have any. */
export function hostedBy(
  { model, tools }: CanonicalRequest,
  { baseModel }: Quirks,
): readonly HostedMeaning["type"][] {
  const isAlone = tools.every((tool) => tool.type === "hosted");
  const isMixed = mixingModel.test(baseModel ?? model);
  return isAlone || isMixed ? ["code-execution", "web-search"] : [];
}

function writeHosted(meaning: HostedMeaning, losses: Losses): JsonObject {
  if (meaning.type !== "web-search") return { codeExecution: {} };
  const { allowedDomains, blockedDomains, contextSize, place, usesMax } = meaning;
  const limits = allowedDomains.length + blockedDomains.length;
  losses.addIf(limits > 0, "tools.web_search.filters");
  losses.addIf(place !== null, "tools.web_search.user_location");
  losses.addIf(contextSize !== "", "tools.web_search.search_context_size");
  losses.addIf(usesMax !== null, "tools.web_search.max_uses");
  return { googleSearch: {} };
}

function writeFunction(
  tool: Exclude<Tool, { type: "hosted" }>,
  model: string,
  dialect: Dialect,
  losses: Losses,
): JsonObject {
  const { name } = tool;
  const description = tool.description === "" ? {} : { description: tool.description };
  if (tool.type === "custom") losses.addIf(tool.grammar !== null, "tools.custom.format");
  const schema = tool.type === "custom" ? customParameters : tool.parameters;
  const whole = { name, ...description };
  if (schema === null || isEmpty(schema)) return whole;
  if (takesJsonSchema(model)) return { ...whole, parametersJsonSchema: schema };
  const parameters = dialect.write(schema);
  if (!isEmpty(parameters)) return { ...whole, parameters };
  losses.add("tools.parameters details");
  return whole;
}

/** Words that say nothing of an object that has no properties. */
const emptyWords: ReadonlySet<string> = new Set([
  "$schema",
  "additionalProperties",
  "description",
  "nullable",
  "properties",
  "required",
  "title",
  "type",
]);

/** Whether the schema names no property: older models refuse an object without properties. */
function isEmpty(schema: JsonObject): boolean {
  const { additionalProperties, properties } = schema;
  if (Object.keys(Object(properties)).length > 0) return false;
  const allows = Object.keys(Object(additionalProperties)).length > 0;
  return !allows && Object.keys(schema).every((word) => emptyWords.has(word));
}

function writeChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    case "subset":
      return choice.isRequired
        ? { mode: "ANY", allowedFunctionNames: choice.names }
        : { mode: "VALIDATED", allowedFunctionNames: choice.names };
    case "required":
      return { mode: "ANY" };
    case "none":
      return { mode: "NONE" };
    case "auto":
      return { mode: "AUTO" };
  }
}
