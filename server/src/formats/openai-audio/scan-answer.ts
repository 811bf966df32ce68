/**
 * Finds what billing needs in transcriptions. They are JSON, or plain text with or without times;
 * only the first says how long the sound was.
 */

import { readNumber, scanObject } from "#base/json-scan.ts";
import { openBrace, skipBlanks } from "#base/json-cursor.ts";
import type { AnswerScanner } from "#formats/format.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";

export function openAudioScanner(): AnswerScanner {
  const scanner = openTreeScanner({
    texts: ["text", "delta", "audio"],
    objects: [],
    skipped: ["segments", "words", "logprobs"],
    usage: "usage",
    answering: ["text", "segments"],
    closing: ["speech.audio.done", "transcript.text.done"],
    repeating: ["transcript.text.done"],
  });
  const { found } = scanner;
  return {
    found,
    scanEvent: scanner.scanEvent,
    scanAnswer(bytes) {
      scanner.scanAnswer(bytes);
      const start = skipBlanks(bytes, 0, bytes.length);
      if (bytes[start] !== openBrace) {
        found.malformed = false;
        found.answering = true;
        found.texts.push(0, bytes.length);
      } else if (found.usageStart < 0) {
        const { values } = scanObject(bytes, ["duration"]);
        const duration = values.get("duration");
        if (duration === undefined || readNumber(bytes, duration) === undefined) return;
        found.usageStart = duration.start;
        found.usageEnd = duration.end;
      }
    },
  };
}
