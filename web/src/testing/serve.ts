/** A fake server for component tests: answers by method and path, and records the calls. */

import { spyOn } from "bun:test";

type Asked = {
  /** Method and path, such as `GET /api/status`. */
  readonly call: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Absent: the browser sends its cookies. */
  readonly credentials: RequestCredentials | undefined;
  readonly signal: AbortSignal | null;
};

/**
 * An object: fields of a successful answer, such as `data`. A string: the message of a refusal. A
 * function makes an answer that is no envelope, such as a stream, from the body that was sent.
 */
export type Answer = Readonly<Record<string, unknown>> | string | ((sent: string) => Response);

/**
 * Replaces `fetch` by a fake server, which refuses calls that are not in `answers`. Each call is
 * appended to `asked`.
 */
export function serve(answers: Readonly<Record<string, Answer>>): {
  readonly asked: Asked[];
  readonly stop: () => void;
} {
  const asked: Asked[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    address: string,
    request: RequestInit,
  ) => {
    const { pathname, searchParams } = new URL(address, "http://localhost");
    const call = `${request.method ?? "GET"} ${pathname}`;
    const { credentials, signal = null } = request;
    const headers = new Headers(request.headers);
    asked.push({ call, query: searchParams, headers, credentials, signal });
    const answer = answers[call] ?? `no answer to ${call}`;
    if (typeof answer === "function") {
      return answer(typeof request.body === "string" ? request.body : "");
    }
    return typeof answer === "string"
      ? Response.json({ success: false, message: answer })
      : Response.json({ success: true, message: "", ...answer });
    // Safe cast: the code under test calls `fetch` only with an address and options.
  }) as unknown as typeof fetch);
  return { asked, stop: () => fetching.mockRestore() };
}
