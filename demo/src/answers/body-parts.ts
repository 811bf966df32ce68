/** Parts of answers that several APIs have. */

import type { Answer, AnswerPart, CallPiece } from "@tollgate/demo/answer.ts";

/** Yields the parts of an answer that contain its pieces, as JSON string text. */
export function* pieceParts(
  pieces: Answer["content"],
  count: number,
  grouped: boolean,
): Generator<AnswerPart> {
  if (grouped) {
    yield { kind: "piece", text: pieces.joined(count), pieces: count };
    return;
  }
  for (let index = 0; index < count; index += 1) {
    yield { kind: "piece", text: pieces.jsonAt(index), pieces: 1, contentAt: 0 };
  }
}

/** Yields the parts that end a JSON body: usage and the last brace. */
export function* bodyEnd({ script, usage }: Answer, name = "usage"): Generator<AnswerPart> {
  if (usage !== null) {
    const text = `,"${name}":${usage}`;
    yield { kind: "usage", text, pieces: 0, usage };
    if (script.usageTwice === true) yield { kind: "usage", text, pieces: 0 };
  }
  yield { kind: "done", text: "}", pieces: 0 };
}

/** Returns a part without output. */
export function section(kind: AnswerPart["kind"], text: string): AnswerPart {
  return { kind, text, pieces: 0 };
}

/** A complete call of a function, for APIs that do not divide calls. */
type WholeCall = CallPiece & { readonly pieces: number };

export function wholeCalls({ calls }: Answer): readonly WholeCall[] {
  const last = (calls ?? []).filter(({ isLast }) => isLast);
  return last.map((call) => {
    const pieces = (calls ?? []).filter(({ index }) => index === call.index).length;
    return { ...call, pieces };
  });
}
