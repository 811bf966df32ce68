import type { ClientFormat, Format, RequestPath, UpstreamFormat } from "#formats/format.ts";
import { readBody } from "#formats/shared/read-body.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";

/**
 * OpenAI's compaction of a conversation: its answer stands for all turns before it in the next
 * request. Only the provider that sealed it can read it, so nothing is translated.
 *
 * @param responses the format of the conversation.
 */
export function openaiCompact(responses: { client: ClientFormat; upstream: UpstreamFormat }) {
  const client: ClientFormat = {
    ...responses.client,
    readRequest,
    smallRequest: (model) => ({ model, input: "hi" }),
  };
  const upstream: UpstreamFormat = { ...responses.upstream, openScanner };
  return { client, upstream } as const satisfies Format;
}

function readRequest(bytes: Uint8Array, path: RequestPath): ReturnType<typeof readBody> {
  // Compaction is never streamed.
  return readBody(
    bytes,
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
      effort: ["reasoning", "effort"],
      unseen: { fields: ["previous_response_id"], toolTypes: [], toolKeys: [] },
    },
  );
}

function openScanner(): ReturnType<UpstreamFormat["openScanner"]> {
  return openTreeScanner({
    // What the model has written is the sealed text; the rest repeats the request.
    texts: ["encrypted_content"],
    objects: [],
    skipped: ["content"],
    usage: "usage",
    answering: ["output"],
    closing: [],
    repeating: [],
  });
}
