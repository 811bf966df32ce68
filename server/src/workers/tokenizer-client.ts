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

/** A text that the worker has not counted yet, in the order in which it got them. */
type Task = {
  send(to: Worker): void;
  /** Null: the caller has stopped waiting. */
  answer: ((tokens: number | null) => void) | null;
  /** The caller waits anew, because another worker begins with the text. */
  again(): void;
};

/**
 * Opens the queue of texts to count. It starts the worker when needed, and matches the worker's
 * answers to the texts.
 */
function openQueue(start: () => Worker, limits: typeof textMaxMs) {
  const tasks = new Map<number, Task>();
  let waiting = 0;
  let waitingBytes = 0;
  let worker: Worker | undefined;
  let hasAnswered = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;

  function end(): void {
    clearTimeout(idle);
    clearTimeout(late);
    worker?.terminate();
    worker = undefined;
    hasAnswered = false;
  }

  function close(): void {
    end();
    for (const { answer } of tasks.values()) answer?.(null);
    tasks.clear();
  }

  /** Ends a worker that a text keeps or has killed, and lets another one count those behind it. */
  function replace(): void {
    end();
    const [[id, bad] = []] = tasks;
    if (id !== undefined) tasks.delete(id);
    bad?.answer?.(null);
    for (const [other, task] of tasks) {
      if (task.answer === null) tasks.delete(other);
      else {
        task.again();
        task.send(running());
      }
    }
    watch();
  }

  /** Counts the time of the text that the worker counts now. */
  function watch(): void {
    clearTimeout(late);
    if (tasks.size === 0) rest();
    else late = setTimeout(replace, hasAnswered ? limits.later : limits.first);
  }

  function running(): Worker {
    if (worker !== undefined) return worker;
    const started = start();
    worker = started;
    started.onmessage = ({ data }: MessageEvent<CountedMessage>) => {
      if (worker !== started) return;
      hasAnswered = true;
      const task = tasks.get(data.id);
      tasks.delete(data.id);
      task?.answer?.(data.tokens);
      watch();
    };
    started.onerror = () => {
      if (worker === started) replace();
    };
    return started;
  }

  /** Lets the worker end after a while in which it has nothing to do. */
  function rest(): void {
    clearTimeout(idle);
    if (tasks.size === 0) idle = setTimeout(close, idleMs);
  }

  async function ask(
    byteCount: number,
    send: (to: Worker, id: number) => void,
  ): Promise<number | null> {
    if (waiting >= waitingMax || waitingBytes + byteCount > waitingBytesMax) return null;
    clearTimeout(idle);
    const id = (lastId += 1);
    waiting += 1;
    waitingBytes += byteCount;
    const tokens = await new Promise<number | null>((resolve) => {
      let slow = setTimeout(giveUp, answerMaxMs);
      const task: Task = {
        send: (to) => send(to, id),
        answer(counted) {
          clearTimeout(slow);
          task.answer = null;
          resolve(counted);
        },
        again() {
          clearTimeout(slow);
          slow = setTimeout(giveUp, answerMaxMs);
        },
      };
      function giveUp(): void {
        task.answer?.(null);
      }
      tasks.set(id, task);
      task.send(running());
      if (tasks.size === 1) watch();
    });
    waiting -= 1;
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
