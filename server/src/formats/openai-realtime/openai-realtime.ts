import type { Format } from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { readRealtimeUsage } from "#formats/shared/media/realtime-usage.ts";
import { live } from "./live.ts";

const client = {
  ...mediaClient({
    // A session has no body: its messages are read one by one.
    readRequest: () => ({ code: "invalid_request", param: "", message: "a WebSocket is required" }),
    smallRequest: (model) => ({ type: "session.update", session: { type: "realtime", model } }),
    input: "input",
    texts: ["instructions", "text"],
  }),
  live,
};

const upstream = {
  ...plainUpstream({ usage: "usage", answering: ["type"] }),
  readUsage: readRealtimeUsage,
};

/** OpenAI's realtime API: messages of a WebSocket. */
export const openaiRealtime = { client, upstream } as const satisfies Format;
