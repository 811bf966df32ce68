/** Lets the relaying thread use the processes that hash passwords, which end when idle. */

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

/** A running process that hashes passwords, one after the other. */
export type HashingProcess = {
  send(message: HashMessage): void;
  /** Ends the process immediately. */
  kill(): void;
};

export type HashingEvents = {
  answered(message: HashedMessage): void;
  /** The process has ended, for whatever reason. */
  ended(): void;
};

/**
 * When a process gets a core. `when-idle`: only while nothing else wants one, so that relayed calls
 * do not wait for it. `at-low-priority`: always, but a small share while others want it, too.
 */
export type HashingTurn = "at-low-priority" | "when-idle";

export type HashingStart = (events: HashingEvents, turn: HashingTurn) => HashingProcess;

type Hashing = {
  /**
   * Number of processes, and so of hashes that are computed at the same time; further ones wait for
   * a process.
   */
  readonly atOnce: number;
  hash(password: string): Promise<string>;
  /** Whether the password belongs to the hash. False if `hash` is not a hash. */
  verify(password: string, hash: string): Promise<boolean>;
  close(): void;
};

/**
 * The largest number of processes. Each takes 64 MiB while it hashes, and one core is left to the
 * relay.
 */
const processesMax = 2;

/** How long a process may be idle before it ends and its memory is given back, in milliseconds. */
const idleMs = 30_000;

/**
 * How long a hash may take in a process that runs only when a core is idle, in milliseconds; it
 * takes a tenth of that on an idle core. After that the machine counts as too busy, and a process
 * of low priority takes over, so that people can sign in while calls use every core.
 */
const idleTurnMaxMs = 1_000;

/** @param start starts a process; called when there is something to hash and no process runs. */
export function openHashing(start: HashingStart, turnMaxMs = idleTurnMaxMs): Hashing {
  const count = Math.max(1, Math.min(processesMax, availableParallelism() - 1));
  const hashers = Array.from({ length: count }, () => openHasher(start, turnMaxMs));
  const run = async (work: Work): Promise<boolean | string> => {
    const free = hashers.toSorted((a, b) => a.waiting() - b.waiting())[0];
    if (free === undefined) throw new Error("there is no process to hash in");
    return await free.run(work);
  };
  return {
    atOnce: count,
    // Safe: a `hash` message is answered with a text, a `verify` message with a verdict.
    hash: async (password) => String(await run({ kind: "hash", password })),
    verify: async (password, hash) => (await run({ kind: "verify", password, hash })) === true,
    close() {
      for (const hasher of hashers) hasher.close();
    },
  };
}

type Waiting = {
  readonly work: Work;
  readonly resolve: (result: boolean | string) => void;
  readonly reject: (error: Error) => void;
};

function openHasher(start: HashingStart, turnMaxMs: number) {
  /** Passwords stay here until they are hashed, because another process may have to take over. */
  const waiting = new Map<number, Waiting>();
  let running: HashingProcess | undefined;
  let turn: HashingTurn = "when-idle";
  let idle: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for a process that runs only when a core is idle. */
  let late: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;

  /** Forgets the process, so that the next hash starts another one. */
  function ended(): void {
    clearTimeout(idle);
    clearTimeout(late);
    running = undefined;
    for (const { reject } of waiting.values()) reject(new Error("the hashing process ended"));
    waiting.clear();
  }

  function close(): void {
    running?.kill();
    ended();
  }

  function run(now: HashingTurn): HashingProcess {
    // A process that was ended reports that later, when another one may run already.
    const made = start(
      {
        answered: (message) => running === made && answered(message),
        ended: () => running === made && ended(),
      },
      now,
    );
    running = made;
    turn = now;
    return made;
  }

  /**
   * Passes everything that waits to a process that gets its share of a busy machine. It stays until
   * nothing is left to hash.
   */
  function takeOver(): void {
    running?.kill();
    const other = run("at-low-priority");
    for (const [id, { work }] of waiting) other.send({ ...work, id });
  }

  function watch(): void {
    clearTimeout(late);
    if (turn === "when-idle" && waiting.size > 0) late = setTimeout(takeOver, turnMaxMs);
  }

  function answered(message: HashedMessage): void {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if ("failure" in message) asked?.reject(new Error(`hashing failed: ${message.failure}`));
    else asked?.resolve(message.result);
    clearTimeout(idle);
    if (waiting.size === 0) idle = setTimeout(close, idleMs);
    watch();
  }

  return {
    close,
    waiting: () => waiting.size,
    run: async (work: Work) =>
      await new Promise<boolean | string>((resolve, reject) => {
        clearTimeout(idle);
        const id = (lastId += 1);
        waiting.set(id, { work, resolve, reject });
        (running ?? run("when-idle")).send({ ...work, id });
        if (waiting.size === 1) watch();
      }),
  };
}
