import type {
  BodyRefusal,
  Format,
  RequestBody,
  RequestPath,
  UpstreamFormat,
} from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { otherMode } from "./other-mode.ts";
import { readSpeech } from "./read-speech.ts";
import { readTranscription } from "./read-transcription.ts";
import { openAudioScanner } from "./scan-answer.ts";

function readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  return path.modality === "speech" ? readSpeech(bytes, path) : readTranscription(bytes, path);
}

const client = mediaClient({
  readRequest,
  smallRequest: (model) => ({ model, input: "hi", voice: "alloy" }),
  input: "input",
  texts: ["input", "instructions", "prompt"],
});

const upstream: UpstreamFormat = {
  accepts: { stream: "*/*", whole: "*/*" },
  openScanner: openAudioScanner,
  readUsage: readMediaUsage,
  readErrorBody,
  otherMode,
};

/** OpenAI's format for sound: speech, transcriptions and translations. */
export const openaiAudio = { client, upstream } as const satisfies Format;
