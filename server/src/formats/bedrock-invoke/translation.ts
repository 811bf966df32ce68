import type { CanonicalRequest, Item } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { tierOf } from "#formats/shared/tiers/service-tiers.ts";
import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type {
  Quirks,
  Translation,
  UpstreamTranslation,
  WrittenRequest,
} from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";

/** The formats of the models behind Bedrock's InvokeModel. */
export type ModelFormats = {
  readonly claude: UpstreamTranslation;
  /** The format of Amazon's Nova models is close to Converse. */
  readonly converse: UpstreamTranslation;
};

/**
 * InvokeModel of Amazon Bedrock: each family of models has its own bodies, in frames of Amazon's.
 * Claude gets Messages, all others get Nova's form.
 */
export function bedrockInvoke(models: ModelFormats) {
  return {
    upstream: {
      framing: "aws-event-stream",
      accepts: { stream: "application/vnd.amazon.eventstream", whole: "application/json" },
      requests: writtenRequests({
        limits: ["max_tokens"],
        settings: ["inferenceConfig"],
        settingLimits: ["maxTokens"],
      }),
      writeRequest: (request, quirks) => writeRequest(models, request, quirks),
      openReader: (seed) => openReader(models, seed),
      readAnswer: (body, seed) => readAnswer(models, body, seed),
    },
  } as const satisfies Translation;
}

const claudeVersion = "bedrock-2023-05-31";
const claudeModel = /claude|anthropic/;

function writeRequest(
  { claude, converse }: ModelFormats,
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const isClaude = claudeModel.test(quirks.baseModel ?? request.model);
  const lost = new Set(isClaude ? request.items.flatMap((item) => hostedKind(item) ?? []) : []);
  const items = request.items.filter((item) => !lost.has(hostedKind(item) ?? ""));
  // InvokeModel takes the service tier in a header, and has the default one without it.
  const refusedFields = [...(quirks.refusedFields ?? []), "serviceTier"];
  const serviceTier = tierOf(request) === "default" ? "" : request.hints.serviceTier;
  const sent = { ...request, items, hints: { ...request.hints, serviceTier } };
  const model = isClaude ? claude : converse;
  const written = model.writeRequest(sent, { ...quirks, refusedFields });
  if ("message" in written) return written;
  const { body, losses } = written;
  if (!isClaude) return toNova(written);
  // The path names the model and says whether the answer is streamed.
  const { model: _, stream: __, ...rest } = body;
  return { body: { anthropic_version: claudeVersion, ...rest }, losses: [...losses, ...lost] };
}

/** Names an item of a tool that a provider runs; Bedrock refuses those of Anthropic. */
function hostedKind(item: Item): string | undefined {
  if (item.type === "hosted") return item.kind;
  const isSealed = item.type === "reasoning" && item.opaque?.kind === "item";
  return isSealed ? "hosted tools of earlier turns" : undefined;
}

/** Nova's own body has no field for a schema of the answer. */
function toNova({ body, losses }: WrittenRequest): WrittenRequest {
  const { outputConfig, ...rest } = body;
  const lost = outputConfig === undefined ? [] : ["response_format"];
  return { body: { schemaVersion: "messages-v1", ...rest }, losses: [...losses, ...lost] };
}
