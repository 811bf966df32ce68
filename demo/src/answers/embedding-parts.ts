/**
 * Embeddings. The vectors are noise that depends on the text only: equal texts have equal vectors,
 * different texts different ones. They have no meaning. Source:
 * https://platform.openai.com/docs/api-reference/embeddings.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import type { Api } from "./api.ts";
import { bodyEnd } from "./body-parts.ts";
import { chat } from "./chat-parts.ts";

/** Yields the sections of the JSON body, one for each vector; vectors are not output tokens. */
function* embeddingBody(answer: Answer): Generator<AnswerPart> {
  const { call } = answer;
  const { inputs, dimensions, base64 } = call.embedding ?? noWish;
  yield { kind: "start", text: `{"object":"list","data":[`, pieces: 0 };
  for (const [index, input] of inputs.entries()) {
    const vector = vectorOf(input, dimensions);
    const text =
      `${index === 0 ? "" : ","}{"object":"embedding","index":${index},"embedding":` +
      `${base64 ? `"${littleEndianBase64(vector)}"` : JSON.stringify([...vector])}}`;
    yield { kind: "piece", text, pieces: 0 };
  }
  yield { kind: "finish", text: `],"model":${JSON.stringify(call.model)}`, pieces: 0 };
  yield* bodyEnd(answer);
}

const noWish = { inputs: [], dimensions: 1, base64: false };

/** Returns a vector of length 1, from a xorshift generator seeded with the text's FNV-1a hash. */
function vectorOf(text: string, dimensions: number): Float32Array {
  let state = 2_166_136_261;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 16_777_619);
  if (state === 0) state = 1; // a xorshift generator with state 0 would only return 0
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let index = 0; index < dimensions; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const value = state / 2 ** 31;
    vector[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

function littleEndianBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

export const embeddings: Api = {
  ...chat,
  texts: "input",
  embeds: true,
  reasons: false,
  body: embeddingBody,
  usage: (_, { promptTokens }) => ({ prompt_tokens: promptTokens, total_tokens: promptTokens }),
};
