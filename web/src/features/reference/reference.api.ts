/** What the reference reads, and the calls that its reader tries with a key. */

import { useQuery } from "@tanstack/react-query";
import { readCallerReference } from "@tollgate/contract/endpoints/caller-reference.ts";
import { call } from "#api/call.ts";

export function useReference() {
  return useQuery({
    queryKey: ["caller-reference"],
    queryFn: async ({ signal }) => await call(readCallerReference, {}, signal),
    // It changes with the server's version only.
    staleTime: Infinity,
  });
}

/** The most that is shown of an answer, in characters. */
const shownMax = 20_000;

export type Tried = {
  readonly status: number;
  readonly requestId: string;
  readonly ms: number;
  readonly text: string;
  readonly isCut: boolean;
};

/**
 * Makes a call as a program does: with a key in a header, and without cookies.
 *
 * @param tell gets what has come so far, as it comes.
 */
export async function tryCall(
  asked: {
    readonly method: string;
    readonly url: string;
    readonly key: string;
    readonly body: string | null;
  },
  signal: AbortSignal,
  tell: (tried: Tried) => void,
): Promise<void> {
  const { method, url, key, body } = asked;
  const start = performance.now();
  const answer = await fetch(url, {
    method,
    credentials: "omit",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === null ? {} : { "content-type": "application/json" }),
    },
    body,
    signal,
  });
  const decoder = new TextDecoder();
  let text = "";
  const say = (): void =>
    tell({
      status: answer.status,
      requestId: answer.headers.get("x-request-id") ?? "",
      ms: Math.round(performance.now() - start),
      text: text.slice(0, shownMax),
      isCut: text.length > shownMax,
    });
  say();
  const reader = answer.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (value !== undefined && text.length <= shownMax) {
      text += decoder.decode(value, { stream: true });
    }
    say();
    if (done) break;
  }
}
