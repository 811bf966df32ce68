import type { Format, UpstreamFormat } from "#formats/format.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { writtenSoundClient } from "#formats/shared/media/sound-client.ts";
import { numberOf, objectOf } from "#formats/shared/read-json.ts";
import { reportOf } from "#formats/shared/token-counts.ts";

const client = writtenSoundClient("text");

const upstream: UpstreamFormat = {
  ...plainUpstream({ usage: "metadata", answering: ["results"], skipped: ["results"] }),
  accepts: { stream: "*/*", whole: "application/json" },
  readUsage: (raw) =>
    readMediaUsage({ type: "duration", seconds: numberOf(objectOf(reportOf(raw))["duration"]) }),
};

/** Deepgram's format for speech and transcriptions. */
export const deepgramAudio = { client, upstream } as const satisfies Format;
