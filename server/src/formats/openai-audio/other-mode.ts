import type { OtherMode } from "#formats/format.ts";
import { textOf } from "#formats/shared/read-json.ts";
import { piecesOf, typedEvent } from "#formats/shared/upstream/whole-as-stream.ts";

const end = "transcript.text.done";

/** A server may answer with a transcript where a stream was asked for, or the other way round. */
export const otherMode: OtherMode = {
  toStream({ text, usage }) {
    const whole = textOf(text);
    const pieces = piecesOf(whole).map((delta) => typedEvent("transcript.text.delta", { delta }));
    const told = usage === undefined ? {} : { usage };
    return pieces.join("") + typedEvent(end, { text: whole, ...told });
  },
  toWhole(events) {
    const last = events.findLast(({ type }) => type === end);
    if (last === undefined) return undefined;
    const { usage } = last;
    return { text: textOf(last["text"]), ...(usage === undefined ? {} : { usage }) };
  },
};
