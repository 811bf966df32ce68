/**
 * Calls the console API for the web console: checks input and answers against the contract, and
 * handles expired sessions and step-up. All other files call the API through this one.
 */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { envelope, ownedKept } from "@tollgate/contract/endpoints/envelope.ts";
import type { z } from "zod";
import { below } from "#page/base-path.ts";
import { mayChange } from "./owned.ts";
import { expireSession, readSession } from "./session.ts";
import { countProofs, countRenewals, noteRenewal, proveAgain, wasRenewed } from "./step-up.ts";

/**
 * The error of a failed call: a refusal by the server, a missing answer, or the answer of another
 * server, such as a proxy.
 */
export class CallError extends Error {
  override readonly name = "CallError";
  /**
   * The answer's HTTP status; 0: there was no answer. After a 401 the console goes to
   * `/login?expired=true`.
   */
  readonly status: number;
  /**
   * The id under which the server logged the call, for bug reports. Null: the answer came from
   * another server, or there was none.
   */
  readonly requestId: string | null;
  /** The input field that the server rejected, if it named one. */
  readonly field: string | null;

  constructor(message: string, from: Response | null, field: string | null = null) {
    super(message);
    this.status = from?.status ?? 0;
    this.requestId = from?.headers.get("x-oneapi-request-id") ?? null;
    this.field = field;
  }
}

/** Loads the texts by which refusals are shown. */
let loadRefusalTexts = async (): Promise<void> => undefined;

/** Sets the function that loads the texts of refusals. Each refusal waits for it to end. */
export function provideRefusalTexts(load: () => Promise<void>): void {
  loadRefusalTexts = load;
}

export type AnyEndpoint = Endpoint<z.ZodObject, z.ZodType, z.ZodObject | undefined>;
export type InputOf<Of extends AnyEndpoint> = z.input<Of["input"]>;
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

/**
 * Like `call`, but resolves to the message and the further fields (`extras`) of the answer, too.
 */
export async function callWhole<Of extends AnyEndpoint>(
  endpoint: Of,
  input: InputOf<Of>,
  signal: AbortSignal | null = null,
): Promise<{ data: DataOf<Of>; message: string; extras: ExtrasOf<Of> }> {
  return await readAnswer(endpoint, await sendSettled(endpoint, input, signal));
}

/** Checks the answer to a call against the contract. */
export async function readAnswer<Of extends AnyEndpoint>(
  endpoint: Of,
  response: Response,
): Promise<{ data: DataOf<Of>; message: string; extras: ExtrasOf<Of> }> {
  const told: unknown = await response.json().catch(() => null);
  const isBare = endpoint.bare === true && response.ok;
  const body = isBare ? { success: true, message: "", data: told } : told;
  const verdict = endpoint.verdictField ?? "success";
  const isNamed = typeof body === "object" && body !== null && verdict in body;
  const answer = envelope.safeParse(
    isNamed ? { ...body, success: Reflect.get(body, verdict) } : body,
  );
  if (!answer.success) {
    // Something other than our server answered, such as a proxy. The status text of a 2xx answer is
    // "OK", which would be a misleading error message, so it is left out.
    throw new CallError(response.ok ? "" : response.statusText || "HTTP error", response);
  }
  if (!answer.data.success) {
    // If they cannot be loaded, the refusal is shown as the server wrote it.
    await loadRefusalTexts().catch(() => undefined);
    throw new CallError(answer.data.message, response, answer.data.field ?? null);
  }
  // Safe casts: the contract derives both types from the schemas that parse the values here.
  return {
    data: endpoint.output.parse(answer.data.data) as DataOf<Of>,
    message: answer.data.message,
    extras: (endpoint.extras?.parse(answer.data) ?? {}) as ExtrasOf<Of>,
  };
}

/**
 * Sends a call, and repeats it after a 428 once the user has proved the second factor, and after a
 * 401 if another call has renewed the session cookie meanwhile.
 */
async function sendSettled(
  endpoint: AnyEndpoint,
  input: object,
  signal: AbortSignal | null,
): Promise<Response> {
  const { url, body } = encodeCall(endpoint, input);
  const agreed = mayChange(endpoint, input);
  if (agreed !== true && !(await agreed)) throw new CallError(ownedKept, null);
  let sentIn = readSession();
  const sendOnce = (): Promise<Response> => {
    sentIn = readSession();
    const sending = send(url, {
      method: endpoint.alias ?? endpoint.method,
      headers: {
        "content-type": "application/json",
        "new-api-user": String(sessionUserId()),
        // The console's language, which may differ from the browser's.
        "accept-language": document.documentElement.lang || "*",
      },
      body: endpoint.alias === "POST" && body === null ? "{}" : body,
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
  // Only 401 ends the session: any other failure may be temporary and does not mean that the user
  // is signed out.
  if (response.status === 401) expireSession(sentIn);
  return response;
}

export async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(below(url), request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new CallError("offline", null);
  }
}

/** Splits the input of an endpoint into the path, query string and body of the request. */
export function encodeCall(
  endpoint: Pick<AnyEndpoint, "method" | "path" | "flag" | "alias" | "inBody">,
  input: object,
): { readonly url: string; readonly body: string | null } {
  const rest: Record<string, unknown> = { ...input };
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const method = endpoint.alias ?? endpoint.method;
  const inQuery = method === "GET" || method === "DELETE";
  const query = new URLSearchParams(endpoint.flag === undefined ? {} : { [endpoint.flag]: "true" });
  const inBody: Record<string, unknown> = {};
  for (const name of endpoint.inBody ?? []) {
    inBody[name] = rest[name];
    delete rest[name];
  }
  // Fields that are undefined are left out of the query string: this is how callers switch a filter
  // off.
  for (const [name, value] of inQuery ? Object.entries(rest) : []) {
    if (value === undefined) continue;
    query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return {
    url: query.size === 0 ? path : `${path}?${query}`,
    body:
      endpoint.inBody !== undefined
        ? JSON.stringify(inBody)
        : inQuery
          ? null
          : JSON.stringify(rest),
  };
}

/**
 * Returns the user id that each call sends in the header `new-api-user`; −1 when nobody is signed
 * in.
 */
function sessionUserId(): number {
  return readSession()?.id ?? -1;
}
