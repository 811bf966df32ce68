/**
 * Lets the relaying thread use the tokenizer thread, which starts when needed and ends when idle.
 */

import type { ClientFormatId } from "#formats/registry.ts";

type Encoding = "cl100k" | "o200k";

export type CountMessage = { readonly id: number; readonly encoding: Encoding } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "prompt"; readonly formatId: ClientFormatId; readonly bytes: Uint8Array }
);

/** `tokens` is null if the text could not be counted. */
export type CountedMessage = { readonly id: number; readonly tokens: number | null };

type Tokenizer = {
  /**
   * Counts the tokens of `text` by the encoding of `model`. Null: they could not be counted in
   * time.
   */
  count(model: string, text: string): Promise<number | null>;
  /** Counts the tokens of a request's prompt. Null: they could not be counted in time. */
  countPrompt(request: {
    readonly formatId: ClientFormatId;
    readonly model: string;
    readonly bytes: Uint8Array;
  }): Promise<number | null>;
  /** Starts the worker in advance, so that the next count does not wait for its start. */
  warm(): void;
  close(): void;
};

/**
 * `waitingMax` and `waitingBytesMax` limit the texts that wait to be counted, `answerMaxMs` how
 * long each waits. A text beyond these limits is not counted.
 */
const waitingMax = 256;
const waitingBytesMax = 64 * 1024 * 1024;
const answerMaxMs = 3_000;

/** How long the worker may be idle before it ends and its memory is given back, in milliseconds. */
const idleMs = 30_000;

/**
 * Models from before the encoding o200k existed. Source: OpenAI's tiktoken, model table, read
 * 2026-11-21.
 */
const oldModels = /^(gpt-3\.5|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

export function openTokenizer(start: () => Worker): Tokenizer {
  const queue = openQueue(start);
  return {
    close: queue.close,
    warm: queue.warm,
    async count(model, text) {
      if (text === "") return 0;
      return await queue.ask(text.length * 2, (worker, id) => {
        const message: CountMessage = { id, kind: "text", encoding: encodingOf(model), text };
        worker.postMessage(message);
      });
    },
    async countPrompt({ formatId, model, bytes }) {
      return await queue.ask(bytes.length, (worker, id) => {
        // Sends a copy, because the buffer behind `bytes` may hold other requests, and posting it
        // would move all of it to the worker.
        const copy = new Uint8Array(bytes);
        const encoding = encodingOf(model);
        const message: CountMessage = { id, kind: "prompt", encoding, formatId, bytes: copy };
        worker.postMessage(message, [copy.buffer]);
      });
    },
  };
}

/**
 * Opens the queue of texts to count. It starts the worker when needed, and matches the worker's
 * answers to the texts.
 */
function openQueue(start: () => Worker) {
  const waiting = new Map<number, (tokens: number | null) => void>();
  let waitingBytes = 0;
  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;

  function close(): void {
    clearTimeout(idle);
    worker?.terminate();
    worker = undefined;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  }

  function running(): Worker {
    if (worker !== undefined) return worker;
    worker = start();
    worker.onmessage = ({ data }: MessageEvent<CountedMessage>) => {
      waiting.get(data.id)?.(data.tokens);
    };
    worker.onerror = close;
    return worker;
  }

  /** Lets the worker end after a while in which it has nothing to do. */
  function rest(): void {
    clearTimeout(idle);
    if (waiting.size === 0) idle = setTimeout(close, idleMs);
  }

  async function ask(
    byteCount: number,
    send: (to: Worker, id: number) => void,
  ): Promise<number | null> {
    if (waiting.size >= waitingMax || waitingBytes + byteCount > waitingBytesMax) return null;
    clearTimeout(idle);
    const id = (lastId += 1);
    waitingBytes += byteCount;
    const tokens = await new Promise<number | null>((resolve) => {
      const late = setTimeout(() => answer(null), answerMaxMs);
      function answer(counted: number | null): void {
        clearTimeout(late);
        waiting.delete(id);
        resolve(counted);
      }
      waiting.set(id, answer);
      send(running(), id);
    });
    waitingBytes -= byteCount;
    rest();
    return tokens;
  }

  function warm(): void {
    running();
    rest();
  }

  return { ask, warm, close };
}

function encodingOf(model: string): Encoding {
  return oldModels.test(model) ? "cl100k" : "o200k";
}
