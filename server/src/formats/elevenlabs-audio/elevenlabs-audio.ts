import type { Format, UpstreamFormat } from "#formats/format.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { writtenSoundClient } from "#formats/shared/media/sound-client.ts";

const client = writtenSoundClient("text");

const upstream: UpstreamFormat = {
  ...plainUpstream({ usage: "usage", answering: ["text"], skipped: ["words"] }),
  accepts: { stream: "*/*", whole: "application/json" },
};

/** ElevenLabs' format for speech and transcriptions. */
export const elevenlabsAudio = { client, upstream } as const satisfies Format;
