import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import type { Signer } from "./signing.ts";
import { readWritten, writeAgain } from "./written-body.ts";

const speech = "/v1/text-to-speech";

const authHeaders = (key: string) => ({ "xi-api-key": key });

/** Puts voice and form of the sound, which the body names, into the URL. */
const sign: Signer = ({ body, key, url }) => {
  const headers = authHeaders(key);
  if (!url.endsWith(speech)) return { kind: "signed", url, headers };
  const { output_format: form, voice_id: voice, ...rest } = readWritten(body);
  if (typeof voice !== "string" || typeof form !== "string") {
    return { kind: "signed", url, headers };
  }
  const path = `${encodeURIComponent(voice)}/stream?output_format=${encodeURIComponent(form)}`;
  return { kind: "signed", url: `${url}/${path}`, headers, body: writeAgain(rest) };
};

export const elevenlabs: Provider = {
  id: "elevenlabs",
  label: "ElevenLabs",
  type: 1012,
  baseUrl: "https://api.elevenlabs.io",
  formats: {
    "elevenlabs-audio": {
      paths: { speech, transcriptions: "/v1/speech-to-text" },
      asksForUsage: false,
    },
  },
  modelsPath: null,
  authHeaders,
  sign,
  readFault,
  keyForm: "API key",
  otherForm: null,
  testable: false,
  defaultModels: ["eleven_multilingual_v2", "eleven_turbo_v2_5", "eleven_flash_v2_5", "scribe_v1"],
  source:
    "https://elevenlabs.io/docs/api-reference; the shape of transcriptions checked against a recorded answer",
};
