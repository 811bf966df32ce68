/**
 * The console API as one function from request to answer. In this order: find the endpoint,
 * authenticate, check the rate limit, check the access, read the input, run the handler.
 */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { type KeptLanguage, languageOf } from "@tollgate/contract/words/languages.ts";
import { organisationHeader } from "@tollgate/contract/endpoints/organisation-rights.ts";
import type { RawRequest } from "@tollgate/contract/endpoints/orders.ts";
import { refusalStatus } from "@tollgate/contract/words/refusals.ts";
import type { ByteBudget, Memory, Owner } from "#base/memory/byte-budget.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import { readJsonBody, readRawBody } from "./body.ts";
import { openToPages, preflight, readTokenKey } from "./by-key.ts";
import type { CallMeta } from "./client-request.ts";
import type { ErrorTexts } from "./error-texts.ts";
import { browserCookie, cookieFor, deviceCookie } from "./cookie.ts";
import { jsonResponse } from "./encoding.ts";
import { eventResponse } from "./web-standard.ts";
import { admit, guest, type Identity, passwordExpired, veiled } from "./guard.ts";
import { type Caller, type Handler, isReplyValue, type SetCookie } from "./handler.ts";
import { isSecure, type Seen, seenBy } from "./proxies.ts";
import { type Fields, openRouter, type Route } from "./router.ts";
import { apiHeaders } from "./security-headers.ts";
import { readTarget } from "./target.ts";

export type ConsoleOptions = {
  readonly handlers: readonly Handler[];
  /**
   * Finds the identity behind a request's session cookie or `Authorization`. Refuses no request.
   */
  readonly authenticate: (request: Request) => Promise<Identity>;
  readonly limits: RateLimits;
  /** Holds the memory of bodies while they arrive. */
  readonly budget: ByteBudget;
  /** @throws Refusal `step-up-needed` unless the caller confirmed the second factor recently. */
  readonly requireStepUp: (caller: Caller) => Promise<void>;
  /** Lets a caller act for the organisation that the request's header names. */
  readonly actFor?: (endpoint: Endpoint, caller: Caller, header: string) => Promise<Caller>;
  /** Returns how many calls one session may make in a minute; 0: unlimited. */
  readonly requestsPerMinute: () => number;
  /** Returns the server's public address; empty: unknown. */
  readonly serverAddress: () => string;
  readonly errorText: ErrorTexts;
  readonly log: Logger;
};

export type Console = (request: Request, meta: CallMeta) => Promise<Response>;

/**
 * All visitors from one address who are not signed in share this part of a session's rate limit.
 */
const guestShare = 1 / 3;

/** The longest user agent that is kept, in characters. */
const userAgentMax = 200;

type Answer = {
  readonly status: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
  readonly setCookie?: SetCookie | undefined;
  /** The whole answer of an endpoint that is `raw`, in place of `body`. */
  readonly text?: string;
  /** The whole answer of an endpoint that is `pushed`, in place of `body`. */
  readonly events?: AsyncIterable<unknown>;
};

/** Answers every request whose path starts with `/api/`. */
export function openConsole(options: ConsoleOptions): Console {
  const route = openRouter(options.handlers);
  const plainHeaders = apiHeaders(false);
  const secureHeaders = apiHeaders(true);
  return async (request, meta) => {
    const seen = seenBy(request);
    const headers = seen.secure ? secureHeaders : plainHeaders;
    const { path, query } = readTarget(request.url);
    const found = route(request.method, path, query);
    if (request.method === "OPTIONS" && route("GET", path, query)?.handler.endpoint.byKey) {
      return preflight(request, headers);
    }
    const answer =
      found === undefined
        ? unknownPath(request.method, path)
        : inWordsOf(request, options, await answerCall(options, found, request, query, meta));
    if (answer.text !== undefined) return plainResponse(answer.text, answer.status, headers, meta);
    if (answer.events !== undefined) return eventResponse(answer.events, headers, meta);
    const response = await jsonResponse(
      answer.body,
      answer.status,
      {
        ...headers,
        ...(found?.handler.endpoint.byKey === true ? openToPages : {}),
        ...answer.headers,
        "x-request-id": meta.requestId,
        "x-oneapi-request-id": meta.requestId,
      },
      request.headers.get("accept-encoding"),
    );
    writeCookies(response, answer, seen);
    place(response, seen);
    return response;
  };
}

function plainResponse(
  text: string,
  status: number,
  headers: Record<string, string>,
  meta: CallMeta,
): Response {
  const type = { "content-type": "text/plain;charset=utf-8", "x-request-id": meta.requestId };
  return new Response(text, { status, headers: { ...headers, ...type } });
}

/** Returns the answer with the message of a failure in the language that the caller reads. */
function inWordsOf(request: Request, { errorText }: ConsoleOptions, answer: Answer): Answer {
  const { body } = answer;
  const isFailure = "success" in body && body.success === false;
  if (!isFailure || !("message" in body) || typeof body.message !== "string") return answer;
  const message = errorText(body.message, request.headers.get("accept-language"));
  return { ...answer, body: { ...body, message } };
}

async function answerCall(
  options: ConsoleOptions,
  { handler, inPath }: Route,
  request: Request,
  query: URLSearchParams,
  meta: CallMeta,
): Promise<Answer> {
  const { endpoint } = handler;
  try {
    const isByKey = endpoint.byKey === true;
    const identity: Identity = isByKey ? { kind: "nobody" } : await options.authenticate(request);
    // Calls by API key have limits of their own, so that they do not use up the limits of signed-in
    // users.
    // So have calls of other companies' servers, which come in bursts from one address.
    if (!isByKey && endpoint.raw !== true) await limitCaller(options, identity, meta.clientIp);
    const caller: Caller = {
      ...(isByKey ? guest : admit(endpoint, identity, request, options.serverAddress())),
      clientIp: meta.clientIp,
      requestId: meta.requestId,
      language: readLanguage(identity, request),
      ...readUserAgent(request),
      ...readBrowserKey(request),
      ...readDeviceMarks(request),
      ...(isSecure(request) ? { secure: true } : {}),
    };
    const memory = { budget: options.budget, owner: ownerOf(caller) };
    const sent =
      endpoint.raw === true
        ? { raw: await readRaw(request, memory) }
        : await readInput(endpoint, request, query, memory);
    const input = { ...sent, ...inPath };
    if (caller.userId !== 0 && isExpired(identity)) {
      if (!isMet(endpoint, "whilePasswordExpired", input)) throw passwordExpired();
    }
    if (isMet(endpoint, "stepUp", input)) await options.requireStepUp(caller);
    const acting = isByKey ? caller : await actingOf(options, endpoint, request, caller);
    const withKey = isByKey ? { ...acting, tokenKey: readTokenKey(request, input) } : acting;
    const answered = veiled(identity, await handler.run(input, withKey), input);
    if (endpoint.bare === true) return { status: 200, body: Object(answered) };
    return success(answered, endpoint.verdictField);
  } catch (error) {
    if (error instanceof Refusal) {
      const { refusedPage, raw } = endpoint;
      if (raw === true) return { status: refusalStatus[error.code], body: {}, text: "fail" };
      return refusedPage !== undefined && isNavigation(request)
        ? redirected(`${refusedPage}?refused=${error.code}`)
        : refused(error);
    }
    const { method, path } = endpoint;
    options.log.error(
      { err: error, requestId: meta.requestId, method, path },
      "console call failed",
    );
    if (endpoint.raw === true) return { status: 500, body: {}, text: "fail" };
    const message = `服务器内部错误，请联系管理员！ (request id: ${meta.requestId})`;
    return { status: 500, body: { success: false, message } };
  }
}

/** Returns the caller, or the organisation for which the call is made. */
async function actingOf(
  { actFor }: ConsoleOptions,
  endpoint: Endpoint,
  { headers }: Request,
  caller: Caller,
): Promise<Caller> {
  const header = headers.get(organisationHeader);
  if (header === null || endpoint.raw === true || actFor === undefined) return caller;
  return await actFor(endpoint, caller, header);
}

/** Returns whose memory a body is: the user's, or that of all who come from one address. */
function ownerOf({ clientIp, userId }: Caller): Owner {
  return userId === 0 ? addressBlock(clientIp) : userId;
}

/** Reads a call of another company's server as it came. */
async function readRaw(request: Request, memory: Memory): Promise<RawRequest> {
  const { headers, method, url } = request;
  return {
    method,
    query: new URL(url).search.slice(1),
    body: method === "POST" ? await readRawBody(request, memory) : "",
    contentType: headers.get("content-type") ?? "",
    headers: Object.fromEntries(headers),
  };
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Reads the declared fields from query and body.
 *
 * @throws Refusal for a body that cannot be read, or for a field that is sent twice.
 */
async function readInput(
  endpoint: Endpoint,
  request: Request,
  query: URLSearchParams,
  memory: Memory,
): Promise<Input> {
  const declared = Object.keys(endpoint.input.shape);
  const { method } = request;
  const inQuery = readQuery(
    query,
    method === "GET" || method === "DELETE" ? declared : (endpoint.inQuery ?? []),
  );
  const inBody = endpoint.inBody ?? [];
  if (method === "GET" || (method === "DELETE" && inBody.length === 0)) return inQuery;
  const body: Input = { ...(await readJsonBody(request, declared, memory)) };
  if (method !== "DELETE") return { ...inQuery, ...body };
  const named = inBody.filter((name) => body[name] !== undefined);
  const doubled = named.find((name) => name in inQuery && inQuery[name] !== body[name]);
  if (doubled !== undefined) throw new Refusal("malformed", `重复的参数：${doubled}`);
  return { ...inQuery, ...Object.fromEntries(named.map((name) => [name, body[name]])) };
}

function isExpired(identity: Identity): boolean {
  return identity.kind === "known" && identity.passwordExpired === true;
}

/**
 * Whether the endpoint's condition holds for this input. It does not hold for invalid input, which
 * the handler refuses anyway.
 */
function isMet(
  endpoint: Endpoint,
  condition: "stepUp" | "whilePasswordExpired",
  input: unknown,
): boolean {
  if (endpoint[condition] === undefined) return false;
  const parsed = endpoint.input.safeParse(input);
  return parsed.success && endpoint[condition](parsed.data);
}

/**
 * Counts a call against the rate limit of its session, or of its address without a session.
 *
 * @throws Refusal `rate-limited`.
 */
export async function limitCaller(
  options: Pick<ConsoleOptions, "limits" | "requestsPerMinute">,
  identity: Identity,
  ip: string,
): Promise<void> {
  const perMinute = options.requestsPerMinute();
  if (perMinute === 0) return;
  const known = identity.kind === "known";
  const rule = {
    name: known ? "console" : "console-guest",
    windowMs: 60_000,
    max: known ? perMinute : Math.ceil(perMinute * guestShare),
  };
  const key = known ? (identity.sessionId ?? `user:${identity.userId}`) : addressBlock(ip);
  const { allowed, retryAfterMs } = await options.limits.take(rule, key);
  if (!allowed) throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
}

/**
 * Reads the declared fields of a query, each of which may occur once. Other fields are ignored,
 * because consoles and proxies may add any.
 */
function readQuery(query: URLSearchParams, declared: readonly string[]): Fields {
  const fields: Record<string, string> = {};
  for (const name of declared) {
    const [value, second] = query.getAll(name);
    if (second !== undefined) throw new Refusal("malformed", `重复的参数：${name}`);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function readLanguage(identity: Identity, request: Request): KeptLanguage {
  const kept = identity.kind === "known" ? (identity.language ?? "") : "";
  return kept === "" ? languageOf(request.headers.get("accept-language") ?? "") : kept;
}

function readUserAgent(request: Request): { readonly userAgent?: string } {
  const sent = request.headers.get("user-agent");
  return sent === null ? {} : { userAgent: sent.slice(0, userAgentMax) };
}

function readBrowserKey(request: Request): { readonly browserKey?: string } {
  const id = browserCookie.read(request);
  return id === undefined ? {} : { browserKey: hashText(id) };
}

function readDeviceMarks(request: Request): { readonly deviceMarks?: string } {
  const deviceMarks = deviceCookie.read(request);
  return deviceMarks === undefined ? {} : { deviceMarks };
}

function success(answered: unknown, verdict: "code" | "success" = "success"): Answer {
  if (!isReplyValue(answered)) {
    return { status: 200, body: { [verdict]: true, message: "", data: answered } };
  }
  if (answered.plain !== undefined) return { ...answered.plain, body: {} };
  if (answered.events !== undefined) return { status: 200, body: {}, events: answered.events };
  const { data, extras, field, message = "", success: done = true } = answered;
  const { setCookie, redirect } = answered;
  return {
    status: redirect === undefined ? 200 : 302,
    body: {
      [verdict]: done,
      message,
      data,
      ...Object(extras),
      ...(field === undefined ? {} : { field }),
    },
    headers: redirect === undefined ? {} : { location: redirect },
    setCookie,
  };
}

/** Whether the browser will show the answer as a page. A script's call sends other headers. */
function isNavigation({ headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode");
  return mode === null ? /\btext\/html\b/.test(headers.get("accept") ?? "") : mode === "navigate";
}

function redirected(location: string): Answer {
  return { status: 302, body: { success: false, message: "" }, headers: { location } };
}

function writeCookies({ headers }: Response, { setCookie = [] }: Answer, seen: Seen): void {
  for (const cookie of [setCookie].flat()) {
    headers.append("set-cookie", cookieFor(cookie, seen));
  }
}

/** Leads to the console's pages where the browser sees them. */
function place({ headers }: Response, { basePath }: Seen): void {
  const location = headers.get("location");
  if (location?.startsWith("/")) headers.set("location", basePath + location);
}

function refused({ code, message, retryAfterMs, field }: Refusal): Answer {
  const wait = retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1_000));
  return {
    status: refusalStatus[code],
    body: { success: false, message, ...(field === undefined ? {} : { field }) },
    ...(wait === undefined ? {} : { headers: { "retry-after": wait } }),
  };
}

/** The longest path that is quoted in an answer, in characters. */
const shownPathMax = 200;

function unknownPath(method: string, path: string): Answer {
  const error = {
    message: `Invalid URL (${method} ${path.slice(0, shownPathMax)})`,
    type: "invalid_request_error",
    param: "",
    code: "",
  };
  return { status: 404, body: { error } };
}
