import type { ClientFormat, Format, UpstreamFormat } from "#formats/format.ts";
import { openaiResponses } from "#formats/openai-responses/openai-responses.ts";
import { readBody } from "#formats/shared/read-body.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";

const { client: responses, upstream: answers } = openaiResponses;

const client: ClientFormat = {
  ...responses,
  readRequest: (bytes, path) =>
    readBody(
      bytes,
      // Compaction is never streamed.
      { ...path, stream: false },
      {
        // A conversation that the upstream keeps needs no input.
        input: "",
        inputKinds: [],
        namesModel: true,
        limits: [],
        settings: [],
        settingLimits: [],
        settingCounts: [],
        unseen: { fields: ["previous_response_id"], toolTypes: [], toolKeys: [] },
      },
    ),
  smallRequest: (model) => ({ model, input: "hi" }),
};

const upstream: UpstreamFormat = {
  ...answers,
  openScanner: () =>
    openTreeScanner({
      // What the model has written is the sealed text; the rest repeats the request.
      texts: ["encrypted_content"],
      objects: [],
      skipped: ["content"],
      usage: "usage",
      answering: ["output"],
      closing: [],
      repeating: [],
    }),
};

/**
 * OpenAI's compaction of a conversation: its answer stands for all turns before it in the next
 * request. Only the provider that sealed it can read it, so nothing is translated.
 */
export const openaiCompact = { client, upstream } as const satisfies Format;
