/** Counts tokens on its own thread: the encodings take tens of megabytes, and counting is slow. */

import { countPrompt } from "./count-prompt.ts";
import { formats } from "#formats/registry.ts";
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
 * How many characters are encoded at a time. Byte-pair encoding takes quadratic time on text
 * without word breaks, so a long run of one letter has to be divided.
 */
const sliceMax = 1_000;

self.onmessage = ({ data }) => void answer(data);

async function answer(data: CountMessage): Promise<void> {
  try {
    const encoding = await encodingOf(data.encoding);
    const count = (text: string): number => countSlices(encoding, text);
    const tokens =
      data.kind === "text"
        ? count(data.text)
        : countPrompt(formats[data.formatId].client, data.bytes, count);
    self.postMessage({ id: data.id, tokens });
  } catch {
    // When the caller gets null, it estimates the tokens instead.
    self.postMessage({ id: data.id, tokens: null });
  }
}

function countSlices(encoding: Encode, text: string): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += sliceMax) {
    tokens += encoding.countTokens(text.slice(start, start + sliceMax));
  }
  return tokens;
}
