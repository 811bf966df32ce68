/** The web console's only way to the console API. */

import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { envelope } from "@tollgate/contract/envelope.ts";
import type { z } from "zod";
import { expireSession, readSession } from "./session.ts";
import { countProofs, countRenewals, noteRenewal, proveAgain, wasRenewed } from "./step-up.ts";

/** The server said no, or something that is not our server answered. `message` is for people. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** HTTP status; at 401 the app goes to `/login?expired=true`. 0: no answer. */
  readonly status: number;
  /** Quote it in a bug report; the server's log has it too. Null when not our server answered. */
  readonly requestId: string | null;
  /** The input field the server found fault with, where it said so. */
  readonly field: string | null;

  constructor(message: string, from: Response | null, field: string | null = null) {
    super(message);
    this.status = from?.status ?? 0;
    this.requestId = from?.headers.get("x-oneapi-request-id") ?? null;
    this.field = field;
  }
}

type AnyEndpoint = Endpoint<z.ZodObject, z.ZodType, z.ZodObject | undefined>;
type InputOf<Of extends AnyEndpoint> = z.input<Of["input"]>;
type DataOf<Of extends AnyEndpoint> = z.output<Of["output"]>;
type ExtrasOf<Of extends AnyEndpoint> = Of extends { readonly extras?: infer Extras }
  ? Extras extends z.ZodObject
    ? z.output<Extras>
    : unknown
  : unknown;

/**
 * Calls one endpoint and checks the answer against the contract.
 *
 * @throws CallError for every answer but a success, and when the network is down (status 0).
 */
export async function call<Of extends AnyEndpoint>(
  endpoint: Of,
  input: InputOf<Of>,
  signal: AbortSignal | null = null,
): Promise<DataOf<Of>> {
  return (await callWhole(endpoint, input, signal)).data;
}

/** `call`, with the fields an answer carries beside `data`: `{ data, message, extras }`. */
export async function callWhole<Of extends AnyEndpoint>(
  endpoint: Of,
  input: InputOf<Of>,
  signal: AbortSignal | null = null,
): Promise<{ data: DataOf<Of>; message: string; extras: ExtrasOf<Of> }> {
  const response = await sendSettled(endpoint, input, signal);
  const answer = envelope.safeParse(await response.json().catch(() => null));
  if (!answer.success) throw new CallError(response.statusText || "HTTP error", response);
  if (!answer.data.success) {
    throw new CallError(answer.data.message, response, answer.data.field ?? null);
  }
  // The contract types both by the very schemas they are parsed with.
  return {
    data: endpoint.output.parse(answer.data.data) as DataOf<Of>,
    message: answer.data.message,
    extras: (endpoint.extras?.parse(answer.data) ?? {}) as ExtrasOf<Of>,
  };
}

/** Sends a call, and once more where what it was refused for is settled meanwhile. */
async function sendSettled(
  endpoint: AnyEndpoint,
  input: object,
  signal: AbortSignal | null,
): Promise<Response> {
  const { url, body } = encodeCall(endpoint, input);
  const sendOnce = (): Promise<Response> => {
    const sending = send(url, {
      method: endpoint.twin ?? endpoint.method,
      headers: { "content-type": "application/json", "new-api-user": String(sessionUserId()) },
      body: endpoint.twin === "POST" && body === null ? "{}" : body,
      signal,
    });
    if (endpoint.renewsSession === true) noteRenewal(sending);
    return sending;
  };
  const before = { proofs: countProofs(), renewals: countRenewals() };
  let response = await sendOnce();
  if (response.status === 401 && endpoint.renewsSession !== true) {
    if (await wasRenewed(before.renewals)) response = await sendOnce();
  }
  if (response.status === 428 && (await proveAgain(before.proofs))) response = await sendOnce();
  // Only this ends a session: a server that is away or busy says nothing about it.
  if (response.status === 401 && readSession() !== null) expireSession();
  return response;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new CallError("offline", null);
  }
}

/** Where each field of `input` travels: in the path, in the query string or in the body. */
export function encodeCall(
  endpoint: Pick<AnyEndpoint, "method" | "path" | "flag" | "twin">,
  input: object,
): { readonly url: string; readonly body: string | null } {
  const rest: Record<string, unknown> = { ...input };
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const method = endpoint.twin ?? endpoint.method;
  const inQuery = method === "GET" || method === "DELETE";
  const query = new URLSearchParams(endpoint.flag === undefined ? {} : { [endpoint.flag]: "true" });
  // A field that is undefined is left out, which is how a filter is switched off.
  for (const [name, value] of inQuery ? Object.entries(rest) : []) {
    if (value === undefined) continue;
    query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return {
    url: query.size === 0 ? path : `${path}?${query}`,
    body: inQuery ? null : JSON.stringify(rest),
  };
}

/** −1: nobody is signed in. Each call carries it as a header. */
function sessionUserId(): number {
  return readSession()?.id ?? -1;
}
