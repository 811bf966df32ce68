/** Converts speech and transcriptions from OpenAI's format. */

import type { Json, JsonObject } from "#base/json.ts";
import type {
  SoundForm,
  SpeechRequest,
  TranscriptionAnswer,
  TranscriptionRequest,
} from "#canonical/sound.ts";
import type { ConversionClient } from "#formats/conversion.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { defined, numberOf, textOf } from "#formats/shared/read-json.ts";

const soundForms: readonly string[] = ["aac", "flac", "mp3", "opus", "pcm", "wav"];

const isSoundForm = (form: string): form is SoundForm => soundForms.includes(form);

function refuse(param: string, message: string): BodyRefusal {
  return { code: "invalid_audio_request", param, message };
}

/** The answer is sound, which is passed on as it comes. */
export const speechClient: ConversionClient<SpeechRequest, never> = {
  parse(body) {
    const form = textOf(body["response_format"]) || "mp3";
    if (!isSoundForm(form)) {
      return refuse("response_format", `response_format must be one of ${soundForms.join(", ")}`);
    }
    if (body["stream_format"] === "sse") {
      return refuse("stream_format", "this model sends sound as bytes, and no events");
    }
    const losses = openLosses();
    losses.addIf(textOf(body["instructions"]) !== "", "instructions");
    return {
      request: {
        text: textOf(body["input"]),
        voice: textOf(body["voice"]),
        form,
        speed: numberOf(body["speed"]),
      },
      losses: losses.names,
    };
  },
  write: () => ({}),
};

const textForms: readonly string[] = ["", "json", "text", "verbose_json"];

export const transcriptionClient: ConversionClient<TranscriptionRequest, TranscriptionAnswer> = {
  parse(body) {
    if (!textForms.includes(textOf(body["response_format"]))) {
      const message = "this model answers in the forms json, text and verbose_json";
      return refuse("response_format", message);
    }
    // The fields of a form are texts.
    if (textOf(body["stream"]) === "true") return refuse("stream", "this model does not stream");
    const losses = openLosses();
    losses.addIf(body["include[]"] !== undefined, "include[]");
    losses.addIf(body["chunking_strategy"] !== undefined, "chunking_strategy");
    const temperature = textOf(body["temperature"]);
    const request = {
      language: textOf(body["language"]),
      temperature: temperature === "" ? null : numberOf(Number(temperature)),
      prompt: textOf(body["prompt"]),
    };
    return { request, losses: losses.names };
  },
  write(answer, { body }) {
    const form = textOf(body["response_format"]);
    if (form === "text") return `${answer.text}\n`;
    const { language, seconds, text, words } = answer;
    const usage = seconds === null ? undefined : { type: "duration", seconds: Math.ceil(seconds) };
    if (form !== "verbose_json") return defined({ text, usage });
    return defined({
      task: "transcribe",
      language: language === "" ? undefined : language,
      duration: seconds ?? words.at(-1)?.end,
      text,
      words: wantsWords(body["timestamp_granularities[]"]) ? words : undefined,
      segments: segmentsOf(answer),
      usage,
    });
  },
};

function wantsWords(granularities: Json | undefined): boolean {
  return [granularities].flat().includes("word");
}

/** The whole text is one segment, because the providers name no other. */
function segmentsOf({ seconds, text, words }: TranscriptionAnswer): readonly JsonObject[] {
  if (text === "") return [];
  const end = seconds ?? words.at(-1)?.end ?? 0;
  return [{ id: 0, seek: 0, start: words[0]?.start ?? 0, end, text }];
}
