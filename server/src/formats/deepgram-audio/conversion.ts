/**
 * Converts speech and transcriptions to Deepgram's format, whose settings are parameters of the
 * URL, into which the provider puts them.
 * Documents: https://developers.deepgram.com/reference.
 */

import type { JsonObject } from "#base/json.ts";
import type {
  SoundForm,
  SpeechRequest,
  TranscriptionAnswer,
  TranscriptionRequest,
} from "#canonical/sound.ts";
import type { ConversionUpstream } from "#formats/conversion.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";

const codings: Readonly<Record<SoundForm, JsonObject>> = {
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus" },
  pcm: { encoding: "linear16", container: "none", sample_rate: "24000" },
  wav: { encoding: "linear16", container: "wav" },
};

export const deepgramSpeech: ConversionUpstream<SpeechRequest, never> = {
  write({ form, speed, text, voice }, model) {
    const losses = openLosses();
    losses.addIf(speed !== null && speed !== 1, "speed");
    // Each voice is a model of its own.
    const isVoice = voice.startsWith("aura");
    losses.addIf(!isVoice && voice !== "" && voice !== model, "voice");
    const query = { model: isVoice ? voice : model, ...codings[form] };
    return { body: { query, text }, losses: losses.names };
  },
  read: () => undefined,
};

export const deepgramTranscription: ConversionUpstream<TranscriptionRequest, TranscriptionAnswer> =
  {
    sendsFileAlone: true,
    write({ language, prompt, temperature }, model) {
      const losses = openLosses();
      losses.addIf(prompt !== "", "prompt");
      losses.addIf(temperature !== null, "temperature");
      const spoken = language === "" ? { detect_language: "true" } : { language };
      return { body: { query: { model, smart_format: "true", ...spoken } }, losses: losses.names };
    },
    read(given) {
      const answer = objectOf(given);
      const [channel] = listOf(objectOf(answer["results"])["channels"]).map(objectOf);
      const [best] = listOf(channel?.["alternatives"]).map(objectOf);
      if (channel === undefined || best === undefined) return undefined;
      return {
        text: textOf(best["transcript"]),
        language: textOf(channel["detected_language"]),
        seconds: numberOf(objectOf(answer["metadata"])["duration"]),
        words: listOf(best["words"])
          .map(objectOf)
          .map((word) => ({
            word: textOf(word["punctuated_word"]) || textOf(word["word"]),
            start: numberOf(word["start"]) ?? 0,
            end: numberOf(word["end"]) ?? 0,
          })),
      };
    },
  };
