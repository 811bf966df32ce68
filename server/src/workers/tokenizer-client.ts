/**
 * Lets the relaying thread use the tokenizer thread, which starts when needed and ends when idle.
 */

import type { ClientFormatId } from "#formats/registry.ts";
import { type LineTask, openTaskLine } from "./task-line.ts";

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

/**
 * How long the worker may take over one text, in milliseconds; then it is ended, and another one
 * counts the others. The first text of a worker waits until its code and the encoding are loaded.
 */
const textMaxMs = { first: 10_000, later: 1_500 };

/** How long the worker may be idle before it ends and its memory is given back, in milliseconds. */
const idleMs = 30_000;

/**
 * Models from before the encoding o200k existed. Source: OpenAI's tiktoken, model table, read
 * 2026-11-21.
 */
const oldModels = /^(gpt-3\.5|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

/** @param limits left out: as long as usual. */
export function openTokenizer(start: () => Worker, limits = textMaxMs): Tokenizer {
  const queue = openQueue(start, limits);
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

/** A text that is counted. */
type Task = LineTask & { answer(tokens: number | null): void };

/** Opens the queue of texts to count. It starts the worker when needed, and ends it when idle. */
function openQueue(start: () => Worker, maxMs: typeof textMaxMs) {
  let waiting = 0;
  let waitingBytes = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const line = openTaskLine<Task, CountedMessage>({
    start,
    maxMs,
    idOf: ({ id }) => id,
    onAnswer: (task, { tokens }) => task?.answer(tokens),
    onIdle: rest,
  });

  /** Lets the worker end after a while in which it has nothing to do. */
  function rest(): void {
    clearTimeout(idle);
    if (line.size() === 0) idle = setTimeout(line.close, idleMs);
  }

  async function ask(
    byteCount: number,
    send: (to: Worker, id: number) => void,
  ): Promise<number | null> {
    if (waiting >= waitingMax || waitingBytes + byteCount > waitingBytesMax) return null;
    clearTimeout(idle);
    waiting += 1;
    waitingBytes += byteCount;
    const tokens = await new Promise<number | null>((resolve) => line.add(taskOf(send, resolve)));
    waiting -= 1;
    waitingBytes -= byteCount;
    rest();
    return tokens;
  }

  return {
    ask,
    warm() {
      line.warm();
      rest();
    },
    close() {
      clearTimeout(idle);
      line.close();
    },
  };
}

/** Makes the task of a caller, who waits for a while only, and anew when another worker begins. */
function taskOf(send: Task["send"], resolve: (tokens: number | null) => void): Task {
  let isAwaited = true;
  let slow: ReturnType<typeof setTimeout> | undefined;
  function answer(tokens: number | null): void {
    clearTimeout(slow);
    isAwaited = false;
    resolve(tokens);
  }
  function wait(): void {
    clearTimeout(slow);
    slow = setTimeout(() => answer(null), answerMaxMs);
  }
  wait();
  return {
    send,
    answer,
    fail: () => answer(null),
    again() {
      if (isAwaited) wait();
      return isAwaited;
    },
  };
}

function encodingOf(model: string): Encoding {
  return oldModels.test(model) ? "cl100k" : "o200k";
}
