/** An upstream without a network, which answers what the test says. */

import type { Transport, TransportCall } from "#network/transport.ts";
import type { TaskChannel } from "#ports/task-desk.ts";

/** What was asked: the path, and the body's object if there was one. */
export type Asked = { readonly path: string; readonly body: Record<string, unknown> };

/** @param reply the answer's JSON; null: the upstream does not answer. */
export function openFakeUpstream(reply: (asked: Asked) => unknown) {
  const asked: Asked[] = [];
  const transport: Transport = async (call: TransportCall) => {
    const text = call.body === null ? "{}" : new TextDecoder().decode(call.body);
    // Safe cast: the code under test sends objects.
    const now: Asked = {
      path: call.target.path,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    asked.push(now);
    const answer = reply(now);
    if (answer === null) return { kind: "fault", code: "connection-closed", status: 502 };
    const bytes = new TextEncoder().encode(JSON.stringify(answer));
    return {
      kind: "answer",
      status: 200,
      mediaType: "application/json",
      retryAfter: null,
      read: async () => null,
      flowTo() {},
      readAll: () => bytes,
      cancel() {},
    };
  };
  return { asked, transport };
}

export function taskChannel(parts: Partial<TaskChannel> & { readonly id: number }): TaskChannel {
  return {
    status: 1,
    provider: { type: 36 },
    baseUrl: "http://upstream.example",
    proxy: null,
    keys: ["sk-1"],
    modelMapping: new Map(),
    headerOverride: null,
    autoBan: false,
    isBackup: false,
    sharesIds: false,
    streamsResults: false,
    ...parts,
  };
}
