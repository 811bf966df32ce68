import { converseTiers } from "#formats/shared/tiers/service-tiers.ts";
import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation } from "#formats/translation.ts";
import { openReader, readAnswer } from "./upstream/read-answer.ts";
import { writeRequest } from "./upstream/write-request.ts";

/** The format of Amazon Bedrock for all its models: Converse. */
export const bedrockConverse = {
  upstream: {
    framing: "aws-event-stream",
    accepts: { stream: "application/vnd.amazon.eventstream", whole: "application/json" },
    requests: writtenRequests({
      settings: ["inferenceConfig"],
      settingLimits: ["maxTokens"],
      tier: converseTiers,
    }),
    writeRequest,
    openReader,
    readAnswer,
  },
} as const satisfies Translation;
