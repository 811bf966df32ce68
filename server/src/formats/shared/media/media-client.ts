/** What the formats of OpenAI's clients have in common that are neither chat nor embeddings. */

import type { ClientFormat } from "#formats/format.ts";
import { errorBody } from "#formats/shared/errors/openai-error.ts";
import { estimateBody, readPromptText } from "#formats/shared/prompt-estimate.ts";
import { rewriteModel } from "#formats/shared/read-body.ts";

type Own = Pick<ClientFormat, "readRequest" | "smallRequest"> & {
  /** The field with the input, and all fields with text for the model. */
  readonly input: string;
  readonly texts: readonly string[];
};

export function mediaClient({ readRequest, smallRequest, input, texts }: Own): ClientFormat {
  return {
    readRequest,
    smallRequest,
    rewriteRequest: (bytes, body, { model }) => rewriteModel(bytes, body, model),
    readPrompt: readPromptText,
    estimatePrompt: estimateBody,
    fields: { messages: input, outputLimits: [], texts, keptByOverride: ["stream"] },
    errorBody,
    stream: {
      contentType: "text/event-stream; charset=utf-8",
      keepAlive: new TextEncoder().encode(": keep-alive\n\n"),
      eventEnd: "\n\n",
      errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
      // Pictures and sound are not kept as text.
      assemble: () => "",
    },
  };
}
