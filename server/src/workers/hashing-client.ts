/** Lets the relaying thread use the threads that hash passwords, which end when idle. */

import { availableParallelism } from "node:os";

export type HashMessage = { readonly id: number; readonly password: string } & (
  | { readonly kind: "hash" }
  | { readonly kind: "verify"; readonly hash: string }
);

export type HashedMessage = { readonly id: number } & (
  | { readonly result: boolean | string }
  | { readonly failure: string }
);

type Work = Pick<Extract<HashMessage, { kind: "hash" }>, "kind" | "password"> | VerifyWork;
type VerifyWork = Pick<Extract<HashMessage, { kind: "verify" }>, "hash" | "kind" | "password">;

type Hashing = {
  /**
   * Number of threads, and so of hashes that are computed at the same time; further ones wait for a
   * thread.
   */
  readonly threads: number;
  hash(password: string): Promise<string>;
  /** Whether the password belongs to the hash. False if `hash` is not a hash. */
  verify(password: string, hash: string): Promise<boolean>;
  close(): void;
};

/**
 * The largest number of threads. Each takes 64 MiB while it hashes, and one core is left to the
 * relay.
 */
const threadsMax = 2;

/** How long a thread may be idle before it ends and its memory is given back, in milliseconds. */
const idleMs = 30_000;

export function openHashing(start: () => Worker): Hashing {
  const count = Math.max(1, Math.min(threadsMax, availableParallelism() - 1));
  const threads = Array.from({ length: count }, () => openThread(start));
  const run = async (work: Work): Promise<boolean | string> => {
    const free = threads.toSorted((a, b) => a.waiting() - b.waiting())[0];
    if (free === undefined) throw new Error("there is no thread to hash on");
    return await free.run(work);
  };
  return {
    threads: count,
    // Safe: a `hash` message is answered with a text, a `verify` message with a verdict.
    hash: async (password) => String(await run({ kind: "hash", password })),
    verify: async (password, hash) => (await run({ kind: "verify", password, hash })) === true,
    close() {
      for (const thread of threads) thread.close();
    },
  };
}

type Waiting = {
  readonly resolve: (result: boolean | string) => void;
  readonly reject: (error: Error) => void;
};

function openThread(start: () => Worker) {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;

  function close(): void {
    clearTimeout(idle);
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error("the hashing thread ended"));
    waiting.clear();
  }

  function running(): Worker {
    if (worker !== undefined) return worker;
    const made = start();
    made.onmessage = ({ data }: MessageEvent<HashedMessage>) => answer(data);
    // A thread that fails is closed; the next hash starts another one.
    made.onerror = () => {
      if (worker === made) close();
    };
    worker = made;
    return made;
  }

  function answer(message: HashedMessage): void {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if ("failure" in message) asked?.reject(new Error(`hashing failed: ${message.failure}`));
    else asked?.resolve(message.result);
    clearTimeout(idle);
    if (waiting.size === 0) idle = setTimeout(close, idleMs);
  }

  return {
    close,
    waiting: () => waiting.size,
    run: async (work: Work) =>
      await new Promise<boolean | string>((resolve, reject) => {
        clearTimeout(idle);
        const id = (lastId += 1);
        waiting.set(id, { resolve, reject });
        running().postMessage({ ...work, id });
      }),
  };
}
