/** Calls the tokenizer worker, which starts when it is needed and ends when it is idle. */

export type CountMessage = {
  readonly id: number;
  readonly encoding: "cl100k" | "o200k";
  readonly text: string;
};

/** Null: the text could not be counted. */
export type CountedMessage = { readonly id: number; readonly tokens: number | null };

type Tokenizer = {
  /** Tokens of `text` in the encoding of `model`; an estimate when counting takes too long. */
  count(model: string, text: string): Promise<number>;
  close(): void;
};

/** Most texts that wait. Beyond it, or after the time below, a text is estimated. */
const waitingMax = 256;
const answerMaxMs = 3_000;

/** Idle milliseconds after which the worker ends and frees its memory. */
const idleMs = 30_000;

/** Models older than this encoding. Source: OpenAI's tiktoken, model table, read 2026-11-21. */
const oldModels = /^(gpt-3\.5|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

export function openTokenizer(start: () => Worker): Tokenizer {
  const waiting = new Map<number, (tokens: number | null) => void>();
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

  function ask(encoding: CountMessage["encoding"], text: string): Promise<number | null> {
    const id = (lastId += 1);
    return new Promise((resolve) => {
      const late = setTimeout(() => answer(null), answerMaxMs);
      function answer(tokens: number | null): void {
        clearTimeout(late);
        waiting.delete(id);
        resolve(tokens);
      }
      waiting.set(id, answer);
      const message: CountMessage = { id, encoding, text };
      running().postMessage(message);
    });
  }

  return {
    close,
    async count(model, text) {
      if (text === "") return 0;
      if (waiting.size >= waitingMax) return estimateTokens(text);
      clearTimeout(idle);
      const tokens = await ask(oldModels.test(model) ? "cl100k" : "o200k", text);
      clearTimeout(idle);
      if (waiting.size === 0) idle = setTimeout(close, idleMs);
      return tokens ?? estimateTokens(text);
    },
  };
}

/** Four bytes a token: right for English, too few tokens for most other languages. */
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
