/** Simulates the server's answers in component tests, by method and path. */

import { spyOn } from "bun:test";

type Sent = { readonly call: string; readonly query: string; readonly body: unknown };

/** By `METHOD /path`: the data of a success, or (`no`) the message of a refusal. */
export type Answers = Readonly<Record<string, { readonly data?: unknown; readonly no?: string }>>;

/**
 * Replaces `fetch`. Calls without an entry in `answers` are refused. The list `sent` receives each
 * call.
 */
export function serve(answers: Answers): { readonly sent: Sent[]; readonly stop: () => void } {
  const sent: Sent[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    address: string,
    request: RequestInit,
  ) => {
    const { pathname, search } = new URL(address, "http://localhost");
    const call = `${request.method ?? "GET"} ${pathname}`;
    const body: unknown = typeof request.body === "string" ? JSON.parse(request.body) : null;
    sent.push({ call, query: search, body });
    const { data, no } = answers[call] ?? { no: `no answer to ${call}` };
    return no === undefined
      ? Response.json({ success: true, message: "", data })
      : Response.json({ success: false, message: no });
    // Safe cast: `call` passes an address and options, the only form this function supports.
  }) as unknown as typeof fetch);
  return { sent, stop: () => fetching.mockRestore() };
}
