/**
 * Converts speech and transcriptions to ElevenLabs' format. The voice and the form of the sound are
 * parts of the URL, into which the provider puts them.
 * Documents: https://elevenlabs.io/docs/api-reference.
 */

import type {
  SoundForm,
  SpeechRequest,
  TranscriptionAnswer,
  TranscriptionRequest,
} from "#canonical/sound.ts";
import type { ConversionUpstream } from "#formats/conversion.ts";
import { defined, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";

/** What ElevenLabs calls the forms that it has. */
const outputFormats: Partial<Record<SoundForm, string>> = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_128",
  pcm: "pcm_24000",
};

export const elevenlabsSpeech: ConversionUpstream<SpeechRequest, never> = {
  write({ form, speed, text, voice }, model) {
    // The voice becomes a part of the path.
    if (!/^[\w-]{1,64}$/.test(voice)) {
      const message = "voice must be the id of a voice at ElevenLabs";
      return { code: "invalid_audio_request", param: "voice", message };
    }
    const format = outputFormats[form];
    if (format === undefined) {
      const message = "this model makes sound as mp3, opus or pcm";
      return { code: "invalid_audio_request", param: "response_format", message };
    }
    const body = {
      voice_id: voice,
      output_format: format,
      text,
      model_id: model,
      voice_settings: speed === null ? undefined : { speed },
    };
    return { body: defined(body), losses: [] };
  },
  read: () => undefined,
};

export const elevenlabsTranscription: ConversionUpstream<
  TranscriptionRequest,
  TranscriptionAnswer
> = {
  write: ({ language, prompt, temperature }, model) => ({
    body: defined({
      model_id: model,
      language_code: language === "" ? undefined : language,
      temperature: temperature ?? undefined,
    }),
    losses: prompt === "" ? [] : ["prompt"],
  }),
  read(given) {
    const answer = objectOf(given);
    const { text } = answer;
    if (typeof text !== "string") return undefined;
    const words = listOf(answer["words"]).map(objectOf);
    return {
      text,
      language: textOf(answer["language_code"]),
      seconds: numberOf(answer["audio_duration_secs"]),
      words: words
        .filter(({ type }) => type === "word")
        .map((word) => ({
          word: textOf(word["text"]),
          start: numberOf(word["start"]) ?? 0,
          end: numberOf(word["end"]) ?? 0,
        })),
    };
  },
};
