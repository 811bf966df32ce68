/**
 * A Redis or Valkey server that counts limits for all nodes. It never holds up a call for long: what
 * is not answered in time is not waited for, and the server is left alone until it answers again.
 */

import { RedisClient } from "bun";

/** A script that the server runs at once, so that no other node comes in between. */
type Script = { readonly text: string; readonly sha: string };

export type Redis = {
  /**
   * All keys begin with this: installations that use one server do not meet, and all keys are on one
   * server of a cluster of them.
   */
  readonly prefix: string;
  /** Runs a script; null: the server does not answer in time. Never rejects. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (number | string)[],
  ): Promise<unknown>;
  /** Tells all who have subscribed. It may be lost. */
  publish(text: string): void;
  /** Hears what is published from now on, except while the server is away. Called once. */
  subscribe(heard: (text: string) => void): void;
  /** Whether the server answered when it was last asked. */
  isUp(): boolean;
  /** How often it did not answer in time, since the start. */
  failures(): number;
  /** When it last did not; monotonic milliseconds. −Infinity: never. */
  failedMs(): number;
  close(): void;
};

/** How long an answer is waited for, and a connection, in milliseconds. */
const answerMaxMs = 50;
const connectMaxMs = 1_000;

/** The pause between two tries to reach a server that does not answer, in milliseconds. */
const retryMs = 500;

/** How many characters of what tells installations apart are enough. */
const scopeChars = 16;

/** Makes a script of its text. */
export function scriptOf(text: string): Script {
  return { text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
}

/**
 * Begins to connect, and goes on trying for ever.
 *
 * @param scope tells installations apart.
 * @param now monotonic milliseconds.
 * @param onState called each time that the server is there or away, with the reason.
 */
export function openRedis(
  { url, scope }: { readonly url: string; readonly scope: string },
  now: () => number,
  onState: (isUp: boolean, reason: string) => void,
): Redis {
  let client: RedisClient | null = null;
  let failures = 0;
  let failedMs = -Infinity;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  function fail(of: RedisClient | null, reason: string): void {
    failures += 1;
    failedMs = now();
    if (of !== client) return;
    if (client !== null) onState(false, reason);
    client = null;
    of?.close();
    if (!isClosed) {
      clearTimeout(retry);
      retry = setTimeout(() => void connect(), retryMs);
    }
  }

  async function connect(): Promise<void> {
    const made = await connectTo(url).catch(String);
    if (typeof made === "string") return fail(null, made);
    if (isClosed) return made.close();
    client = made;
    made.onclose = () => fail(made, "the connection was closed");
    onState(true, "");
  }

  const prefix = `{tollgate-${scope.slice(0, scopeChars)}}:`;
  const topic = `${prefix}hints`;
  const listener = openListener(url, topic);
  void connect();
  return {
    prefix,
    publish: (text) => void client?.send("PUBLISH", [topic, text]).catch(() => undefined),
    subscribe: listener.listen,
    isUp: () => client !== null,
    failures: () => failures,
    failedMs: () => failedMs,
    async run({ text, sha }, keys, args) {
      const asked = client;
      if (asked === null) return null;
      const rest = [String(keys.length), ...keys, ...args.map(String)];
      try {
        const answer = await within(evaluate(asked, { text, sha }, rest));
        if (answer === null) fail(asked, `no answer within ${answerMaxMs} ms`);
        return answer;
      } catch (error) {
        fail(asked, String(error));
        return null;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
      listener.close();
      client?.close();
    },
  };
}

/** A connection that only hears, as one that has subscribed takes no other commands. */
function openListener(url: string, topic: string) {
  let client: RedisClient | null = null;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  async function listen(heard: (text: string) => void): Promise<void> {
    const made = new RedisClient(url, { connectionTimeout: connectMaxMs, autoReconnect: false });
    client = made;
    let isLost = false;
    const lost = (): void => {
      if (isLost) return;
      isLost = true;
      made.close();
      if (!isClosed) retry = setTimeout(() => void listen(heard), retryMs);
    };
    try {
      await made.connect();
      made.onclose = lost;
      await made.subscribe(topic, heard);
    } catch {
      lost();
    }
  }

  return {
    listen: (heard: (text: string) => void) => void listen(heard),
    close() {
      isClosed = true;
      clearTimeout(retry);
      client?.close();
    },
  };
}

/** Connects to a server that answers. */
async function connectTo(url: string): Promise<RedisClient> {
  const made = new RedisClient(url, {
    connectionTimeout: connectMaxMs,
    autoReconnect: false,
    enableOfflineQueue: false,
  });
  try {
    await made.connect();
    if ((await within(made.send("PING", []))) === null) throw new Error("no answer to PING");
    return made;
  } catch (error) {
    made.close();
    throw error;
  }
}

async function evaluate(
  client: RedisClient,
  { text, sha }: Script,
  rest: string[],
): Promise<unknown> {
  try {
    return await client.send("EVALSHA", [sha, ...rest]);
  } catch (error) {
    if (!String(error).includes("NOSCRIPT")) throw error;
    return await client.send("EVAL", [text, ...rest]);
  }
}

/** Waits for an answer, but not for long. @returns null if it did not come. */
async function within(answer: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), answerMaxMs);
  });
  // What fails later is not waited for any more.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
