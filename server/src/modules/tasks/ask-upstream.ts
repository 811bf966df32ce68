/** Sends one request about tasks to a channel's upstream. Failures are values. */

import { parseForeign } from "#base/json.ts";
import type { TransportFaultCode } from "#network/answer.ts";
import { newCancellation } from "#network/cancellation.ts";
import { parseTarget } from "#network/target.ts";
import type { TimeLimits, Transport } from "#network/transport.ts";
import type { TaskChannel } from "#ports/task-desk.ts";
import { joinUrl } from "#providers/base-url.ts";
import type { Platform, UpstreamAsk } from "#platforms/platform.ts";

export type UpstreamAnswer =
  /** `answer` undefined: the body is not JSON. */
  | { readonly kind: "answer"; readonly status: number; readonly answer: unknown }
  /** `unsent`: nothing was written, so the upstream does not know of it. */
  | { readonly kind: "fault"; readonly code: string; readonly unsent: boolean };

/** The longest answer that is read, in bytes. */
const answerBytesMax = 4 * 1024 * 1024;

/** Faults before anything of the request was written. */
const unsentCodes: ReadonlySet<string> = new Set<TransportFaultCode>([
  "address-forbidden",
  "address-unresolved",
  "certificate-expired",
  "certificate-invalid",
  "certificate-name",
  "certificate-untrusted",
  "connection-failed",
  "connection-refused",
  "gateway-files",
  "proxy-credentials",
  "proxy-failed",
  "proxy-forbidden",
  "proxy-refused",
  "proxy-unresolved",
  "request-malformed",
  "timeout-connect",
  "timeout-proxy",
  "timeout-tls",
  "tls-failed",
]);

/** How long a submission, and a question, may take, in milliseconds. */
export const submitMs = 60_000;
export const questionMs = 15_000;

export function limitsOf(totalMs: number): TimeLimits {
  return {
    connectMs: Math.min(10_000, totalMs),
    firstByteMs: totalMs,
    betweenChunksMs: totalMs,
    totalMs,
  };
}

type Asking = {
  readonly platform: Platform;
  readonly channel: TaskChannel;
  readonly key: string;
  readonly ask: UpstreamAsk;
  readonly totalMs: number;
  readonly nowSeconds: number;
};

/** Returns target and headers of a request to a channel; null: its address is invalid. */
export function requestTo({ platform, channel, key, ask, nowSeconds }: Omit<Asking, "totalMs">) {
  const target = parseTarget(joinUrl(channel.baseUrl, ask.path, [ask.path]), channel.proxy);
  if (target === null) return null;
  const overridden = Object.entries(channel.headerOverride ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value.replaceAll("{api_key}", () => key),
  ]);
  const headers: Record<string, string> = {
    host: target.host + target.port,
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
    ...(ask.body === null ? {} : { "content-type": "application/json" }),
    ...platform.headers(key, nowSeconds),
    ...Object.fromEntries(overridden),
  };
  return { target, headers };
}

export async function askUpstream(transport: Transport, asking: Asking): Promise<UpstreamAnswer> {
  const { ask, totalMs } = asking;
  const request = requestTo(asking);
  if (request === null) return { kind: "fault", code: "address-malformed", unsent: true };
  const sent = await transport({
    method: ask.method,
    ...request,
    body: ask.body === null ? null : new TextEncoder().encode(JSON.stringify(ask.body)),
    isStream: false,
    limits: limitsOf(totalMs),
    cancellation: newCancellation(),
  });
  if (sent.kind === "fault") return { ...sent, unsent: unsentCodes.has(sent.code) };
  const bytes = await sent.readAll(answerBytesMax);
  if (!(bytes instanceof Uint8Array)) return { ...bytes, unsent: false };
  return { kind: "answer", status: sent.status, answer: readJson(bytes) };
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return parseForeign(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the key with which a task was submitted; the first, if the channel has it no more. */
export function keyOfTask(
  channel: TaskChannel,
  keyRef: string,
  refOf: (key: string) => string,
): string {
  return channel.keys.find((key) => refOf(key) === keyRef) ?? channel.keys[0] ?? "";
}
