import type { Json } from "#base/json.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { Format, UsageReader } from "#formats/format.ts";
import { errorBody } from "#formats/shared/errors/gemini-error.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { asObject, defined } from "#formats/shared/read-json.ts";
import { liveOf } from "./live.ts";

const client = {
  ...mediaClient({
    // A session has no body: its messages are read one by one.
    readRequest: () => ({ code: "invalid_request", param: "", message: "a WebSocket is required" }),
    smallRequest: (model) => ({ setup: { model: `models/${model}` } }),
    input: "clientContent",
    texts: ["systemInstruction", "text"],
  }),
  errorBody,
};

/**
 * Gemini's Live API: messages of a WebSocket.
 *
 * @param readUsage reads the usage of generateContent.
 * @param api whose version of the API clients know: Google AI's or Vertex's.
 */
export function geminiLive(
  { readUsage }: { readonly readUsage: UsageReader },
  api: "google" | "vertex",
) {
  const upstream = {
    ...plainUpstream({ usage: "usageMetadata", answering: ["serverContent", "toolCall"] }),
    readUsage: (raw: unknown) => readTurnUsage(readUsage, raw),
  };
  return { client: { ...client, live: liveOf(api) }, upstream } as const satisfies Format;
}

/**
 * Reads the usage of one turn. It is that of generateContent, but for the name of the output: Google
 * AI calls it `response…`, Vertex `candidates…`. The prompt is the whole conversation, which the
 * model reads again in each turn.
 */
function readTurnUsage(readUsage: UsageReader, raw: unknown): ReadUsage {
  // Safe cast: usage reports come from parsed JSON.
  const usage = asObject(raw as Json | undefined);
  if (usage === undefined) return { kind: "missing" };
  const output = defined({
    candidatesTokenCount: usage["responseTokenCount"],
    candidatesTokensDetails: usage["responseTokensDetails"],
  });
  const turn = { ...usage, ...output };
  return readUsage(turn);
}
