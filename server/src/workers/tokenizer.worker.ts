/** Counts tokens on a thread of its own: the encodings take tens of megabytes and milliseconds. */

import type { CountMessage, CountedMessage } from "./tokenizer-client.ts";

declare const self: {
  onmessage: ((event: MessageEvent<CountMessage>) => void) | null;
  postMessage(message: CountedMessage): void;
};

type Encode = { countTokens(text: string): number };

const encodings = new Map<string, Promise<Encode>>();

function encodingOf(name: CountMessage["encoding"]): Promise<Encode> {
  const known = encodings.get(name);
  if (known !== undefined) return known;
  const loaded: Promise<Encode> =
    name === "cl100k"
      ? import("gpt-tokenizer/encoding/cl100k_base")
      : import("gpt-tokenizer/encoding/o200k_base");
  encodings.set(name, loaded);
  return loaded;
}

/**
 * Characters encoded at a time. Byte-pair encoding is quadratic on text without breaks, so one
 * repeated letter of any length must not become one piece.
 */
const sliceMax = 1_000;

self.onmessage = ({ data }) => void answer(data);

async function answer(data: CountMessage): Promise<void> {
  try {
    const encoding = await encodingOf(data.encoding);
    let tokens = 0;
    for (let start = 0; start < data.text.length; start += sliceMax) {
      tokens += encoding.countTokens(data.text.slice(start, start + sliceMax));
    }
    self.postMessage({ id: data.id, tokens });
  } catch {
    // The caller's own estimate is as good as no answer is bad.
    self.postMessage({ id: data.id, tokens: null });
  }
}
