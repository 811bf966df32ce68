/** Writes items and objects of a Responses answer, which the stream repeats. */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { Json, JsonObject } from "#base/json.ts";
import type { Finish, OutputItem, TokenLogprob } from "#canonical/event.ts";
import type { Citation } from "#canonical/request.ts";
import { inputOf, outputOf, type Usage } from "#canonical/usage.ts";
import { nativeIssuer, ownIdPrefix } from "#formats/openai-responses/wire.ts";
import { writeLogprob } from "#formats/shared/logprobs/openai-logprobs.ts";
import { wrapOpaque } from "#formats/shared/opaque-text.ts";
import { writeServedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import { clientNames, hasOwnSearch, searchTool, type ToolName } from "./parse-tools.ts";

/** What the writing of items needs to know of the request and the answer. */
export type ItemContext = {
  readonly asked: AnsweredRequest;
  readonly responseId: string;
  readonly names: ReadonlyMap<string, ToolName>;
  /** Whether the client itself runs a search for tools. */
  readonly hasOwnSearch: boolean;
};

export function openContext(asked: AnsweredRequest, responseId: string): ItemContext {
  const { body } = asked;
  return { asked, responseId, names: clientNames(body), hasOwnSearch: hasOwnSearch(body) };
}

/** Returns the id of an item, which is made of the answer's id and the item's place in it. */
export function itemId(
  prefix: "ci" | "ctc" | "fc" | "ig" | "mcp" | "msg" | "rs" | "tsc" | "ws",
  { responseId }: ItemContext,
  slot: number,
) {
  return `${prefix}_${responseId.replace(/^[a-z]+_/, "")}_${slot}`;
}

/**
 * Writes a complete item. One item may become two: pictures in a message are items of their own.
 *
 * @param logprobs the probabilities of the first text's tokens.
 */
export function writeItem(
  item: OutputItem,
  slot: number,
  context: ItemContext,
  logprobs: readonly TokenLogprob[] = [],
): JsonObject {
  switch (item.type) {
    case "message": {
      const first = item.parts.find((part) => part.type === "text");
      const content = item.parts.flatMap((part): readonly JsonObject[] => {
        if (part.type === "media") return [];
        if (part.type === "refusal") return [{ type: "refusal", refusal: part.text }];
        return [textPart(part.text, part.citations, part === first ? logprobs : [])];
      });
      const id = itemId("msg", context, slot);
      return { id, type: "message", status: "completed", role: "assistant", content };
    }
    case "reasoning": {
      const id =
        item.opaque?.issuer === nativeIssuer && item.opaque.id !== ""
          ? item.opaque.id
          : itemId("rs", context, slot);
      const summary = item.text === "" ? [] : [{ type: "summary_text", text: item.text }];
      const { opaque } = item;
      const isOwn = opaque?.issuer === nativeIssuer && opaque.kind !== "item";
      const value = isOwn ? opaque.value : opaque && wrapOpaque(opaque);
      return {
        id,
        type: "reasoning",
        summary,
        ...(value === null ? {} : { encrypted_content: value }),
      };
    }
    case "tool-call":
      if (isSearch(item.name, context)) {
        return { ...searchHead(item, slot, context), arguments: argsObject(item) };
      }
      return item.form === "text"
        ? {
            id: itemId("ctc", context, slot),
            type: "custom_tool_call",
            status: "completed",
            call_id: item.callId,
            ...toolName(item.name, context),
            input: item.argsText,
          }
        : {
            id: itemId("fc", context, slot),
            type: "function_call",
            status: "completed",
            call_id: item.callId,
            ...toolName(item.name, context),
            arguments: item.argsText,
          };
  }
}

/** Whether a call is the client's own search for tools. */
export function isSearch(name: string, context: ItemContext): boolean {
  return name === searchTool && context.hasOwnSearch;
}

/** Writes such a call without what it looks for. */
export function searchHead(
  { callId }: { readonly callId: string },
  slot: number,
  context: ItemContext,
): JsonObject {
  return {
    id: itemId("tsc", context, slot),
    type: "tool_search_call",
    status: "completed",
    call_id: callId,
    execution: "client",
  };
}

/** Writes the picture of an answer. */
export function writeImage(data: string, slot: number, context: ItemContext): JsonObject {
  const id = itemId("ig", context, slot);
  return { id, type: "image_generation_call", status: "completed", result: data };
}

export function toolName(name: string, { names }: ItemContext): JsonObject {
  const own = names.get(name);
  return own === undefined ? { name } : { name: own.name, namespace: own.namespace };
}

export function textPart(
  text: string,
  citations: readonly Citation[],
  tokens: readonly TokenLogprob[],
): JsonObject {
  const annotations = citations.map(writeCitation);
  return { type: "output_text", text, annotations, logprobs: tokens.map(writeLogprob) };
}

export function writeCitation({ url, title, start, end }: Citation): JsonObject {
  return {
    type: "url_citation",
    url,
    title,
    start_index: start ?? 0,
    end_index: end ?? 0,
  };
}

export function writeUsage(usage: Usage): JsonObject {
  const input = inputOf(usage);
  const output = outputOf(usage);
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
}

/** How the answer ended, in the object's fields. */
export function writeEnd(finish: Finish | null): {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: Json;
} {
  const reason = finish?.reason;
  if (reason === "length" || reason === "context-full") {
    return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  }
  if (reason === "refused") {
    return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  }
  return { status: "completed", incomplete_details: null };
}

/** Fields of the request that the object repeats, with the value they have if they are left out. */
const repeated: Readonly<Record<string, Json>> = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  service_tier: "auto",
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  user: null,
};

/**
 * Writes the object of an answer. Until the upstream has named the service tier, the object repeats
 * the one that was asked for.
 */
export function writeResponse(
  { asked, responseId }: ItemContext,
  model: string,
  fields: {
    readonly status: string;
    readonly output: readonly JsonObject[];
    readonly usage: JsonObject | null;
    readonly incomplete_details: Json;
    readonly error: Json;
    readonly namedTier: ServedTier;
  },
): JsonObject {
  const { status, namedTier, ...rest } = fields;
  const tier = writeServedOpenAi(namedTier);
  const asSent: Record<string, Json> = {};
  for (const [name, standard] of Object.entries(repeated)) {
    asSent[name] = asked.body[name] ?? standard;
  }
  return {
    id: responseId,
    object: "response",
    created_at: asked.createdAt,
    status,
    background: false,
    model: model || asked.model,
    ...asSent,
    ...(tier === undefined ? {} : { service_tier: tier }),
    previous_response_id: asked.previousId || null,
    store: asked.keepsAnswer === true,
    ...rest,
  };
}

/**
 * Returns the id of an answer: one of the gateway's own, because the upstream does not know the
 * answer by an id of this format.
 */
export function responseIdOf({ responseId }: Pick<AnsweredRequest, "responseId">): string {
  return `${ownIdPrefix}${responseId.replaceAll(/[^A-Za-z0-9_-]/g, "")}`;
}
