/**
 * An upstream whose accounts each have a prompt cache: it finds the longest beginning of a request
 * that the same key has seen a short while ago, as providers do.
 */

import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";

type Message = { readonly role: string; readonly content: string };

type Turn = {
  readonly channel: number;
  readonly key: string;
  /** Messages of the request that the cache had, and all that it has now. */
  readonly cached: number;
  readonly sent: number;
};

export type CachingUpstream = {
  /** The base URL of a channel. */
  urlOf(channel: number): string;
  /** The turns that were answered, by what the first message says. */
  readonly turns: Map<string, Turn[]>;
  /** What answers instead, by channel and key; null: nothing does. */
  fail: ((channel: number, key: string, model: string) => string | null) | null;
  /** How long an answer takes; what is told of each that is given. */
  delayMs: number;
  onAnswer: ((key: string) => void) | null;
  /** Milliseconds. */
  nowMs: number;
  stop(): Promise<void>;
};

/** How long a prompt stays in a cache after it was read. */
const cacheMs = 5 * 60_000;

export async function startCachingUpstream(): Promise<CachingUpstream> {
  const caches = new Map<string, number>();
  const answer: Answerer = (socket, request) => {
    const [head = "", text = ""] = request.split("\r\n\r\n");
    const channel = Number(/^POST \/c(\d+)\//.exec(head)?.[1]);
    const key = /authorization: Bearer (\S+)/i.exec(head)?.[1] ?? "";
    // Safe cast: the test has written it.
    const body = JSON.parse(text) as { model: string; messages: Message[] };
    const failure = upstream.fail?.(channel, key, body.model) ?? null;
    const told = failure ?? jsonAnswer(answerTo({ channel, key }, body.messages));
    const send = (): void => {
      upstream.onAnswer?.(key);
      socket.write(told);
    };
    if (upstream.delayMs === 0) send();
    else setTimeout(send, upstream.delayMs);
  };

  function answerTo(to: Pick<Turn, "channel" | "key">, messages: readonly Message[]): string {
    let cached = 0;
    for (let count = 1; count <= messages.length; count += 1) {
      const beginning = `${to.channel} ${to.key} ${JSON.stringify(messages.slice(0, count))}`;
      if ((caches.get(beginning) ?? -Infinity) > upstream.nowMs) cached = count;
      caches.set(beginning, upstream.nowMs + cacheMs);
    }
    const name = messages[0]?.content ?? "";
    const turns = upstream.turns.get(name) ?? [];
    upstream.turns.set(name, turns);
    turns.push({ ...to, cached, sent: messages.length });
    const usage = {
      prompt_tokens: messages.length * 100,
      completion_tokens: 1,
      total_tokens: messages.length * 100 + 1,
      prompt_tokens_details: { cached_tokens: cached * 100 },
    };
    const content = `answer ${messages.length}`;
    return JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage,
    });
  }

  const server = await startUpstream(answer);
  const upstream: CachingUpstream = {
    urlOf: (channel) => `${server.url}/c${channel}`,
    turns: new Map(),
    fail: null,
    delayMs: 0,
    onAnswer: null,
    nowMs: 0,
    stop: server.stop,
  };
  return upstream;
}

/** The messages of a turn, from 1: questions and the answers to all but the last. */
export function messagesOf(name: string, turn: number): Message[] {
  const messages: Message[] = [];
  for (let at = 1; at <= turn; at += 1) {
    messages.push({ role: "user", content: at === 1 ? name : `question ${at}` });
    if (at < turn) messages.push({ role: "assistant", content: `answer ${at * 2 - 1}` });
  }
  return messages;
}

/** The share of what caches could have had that they had. */
export function hitShare(turns: Iterable<readonly Turn[]>): number {
  let cached = 0;
  let possible = 0;
  for (const own of turns) {
    for (const [at, turn] of own.entries()) {
      if (at === 0) continue;
      cached += turn.cached;
      possible += own[at - 1]?.sent ?? 0;
    }
  }
  return cached / possible;
}
