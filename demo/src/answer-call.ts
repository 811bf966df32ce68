/**
 * Answers one call, from the bytes of its request to its entry in the account: refuses it, sends a
 * whole answer, or sends an answer step by step.
 */

import type { Account, CallEntry } from "./account.ts";
import { type CallReading, type DemoCall, readCall } from "./call.ts";
import type { Connection } from "./connection.ts";
import {
  badRequest,
  type ErrorBody,
  keyMissing,
  keyRefused,
  modelNotFound,
} from "./answers/errors.ts";
import { apis, errorBodyText, httpStatus } from "./answers/apis.ts";
import { textFrame } from "./live/web-socket.ts";
import type { Scripts } from "./models.ts";
import { play } from "./player.ts";
import type { DemoRequest } from "./request-parser.ts";
import { type Order, type SteppedResponse, stepsOf } from "./answers/response.ts";
import type { Route, Target } from "./routes.ts";
import { type DemoScript, parseScriptText, type ScriptReading } from "./script.ts";
import { jsonMessage, sendWhole } from "./send.ts";
import { type WholeResponse, wholeResponse } from "./answers/whole-response.ts";
import { isProviderRoute, providers } from "./providers/providers.ts";
import type { Admission } from "./providers/provider.ts";

/** The only key that the demo upstream refuses, for demonstrations of an invalid key. */
const refusedKey = "sk-demo-bad";
/** Prefix that marks the `user` field of a body as a script. */
const directivePrefix = "demo:";

/** The largest number of parsed scripts that are cached; the same scripts come again and again. */
const directivesKeptMax = 200;
const keyEndLength = 4;

type CallDeps = { readonly account: Account; readonly scripts: Scripts };

/**
 * Answers a call. Returns a promise unless the whole answer was sent before the function returned.
 */
type CallAnswerer = (
  target: Target,
  request: DemoRequest,
  connection: Connection,
) => Promise<void> | undefined;

export function openAnswerer({ account, scripts }: CallDeps): CallAnswerer {
  const choose = openChooser(scripts);
  const idPrefix = `demo${Date.now().toString(36)}`;
  let lastOrdinal = 0;

  return (target, request, connection) => {
    const admission = admit(target.route, request);
    const key = "key" in admission ? admission.key : keyOf(request);
    const { path } = request;
    const reading = readCall(target, request.body, { path, key, accepts: acceptedBy(request) });
    const { images, model, marker, stream } = "call" in reading ? reading.call : unreadable;
    const entry = account.open({ images, model, marker, stream, key: key.slice(-keyEndLength) });
    const choice = choose(admission, reading);
    lastOrdinal += 1;
    const id = idPrefix + lastOrdinal.toString(36).padStart(6, "0");
    if ("error" in choice) {
      return refuse(connection, entry, { ...choice, id, route: target.route });
    }
    const order: Order = {
      ...choice,
      id,
      created: Math.floor(Date.now() / 1_000),
      key,
      http11: request.http11,
    };
    const whole = wholeResponse(order);
    if (whole !== undefined) return sendCounted(connection, entry, whole);
    return playCounted(connection, entry, order, () => scripts.released(model));
  };
}

/** Checks who calls, as the route's provider does. */
function admit(route: Route, request: DemoRequest): Admission {
  const check = isProviderRoute(route) ? providers[route].admit : undefined;
  if (check !== undefined) return check(request, Date.now());
  const refusal = refuseKey(request);
  return refusal === undefined ? { key: keyOf(request) } : { refusal };
}

type Refusal = {
  readonly status: number;
  readonly error: ErrorBody;
  readonly id: string;
  readonly route: Route;
};

function refuse(
  connection: Connection,
  entry: CallEntry,
  { error, id, route, status }: Refusal,
): Promise<void> | undefined {
  const body = errorBodyText(route, status, error);
  if (apis[route].framing !== "messages") {
    const text = jsonMessage(httpStatus(route, status), body, id);
    return sendCounted(connection, entry, { ...nothingUsed, status, text });
  }
  entry.wroteHead(status, 0);
  connection.send(textFrame(body));
  entry.close("complete");
  connection.finish();
  return undefined;
}

const unreadable = { images: 0, model: "", marker: "", stream: false };
const nothingUsed = { promptTokens: 0, pieces: 0, usage: null };

function acceptedBy({ header }: DemoRequest): string {
  return header("x-dashscope-sse") === "enable" ? "text/event-stream" : (header("accept") ?? "");
}

/**
 * Checks the key of a request. Returns the refusal of an invalid key; undefined: the key is
 * accepted.
 */
export function refuseKey(request: DemoRequest): ErrorBody | undefined {
  const key = keyOf(request);
  if (key === "") return keyMissing;
  return key === refusedKey ? keyRefused(key) : undefined;
}

/**
 * Returns the key, which may be any text; empty if there is none. Requests to Amazon are signed: of
 * their key they show the id. The signature is not checked.
 */
export function keyOf({ header, query }: DemoRequest): string {
  const authorization = header("authorization") ?? "";
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const signed = /^AWS4-HMAC-SHA256 Credential=([^/]+)/.exec(authorization)?.[1];
  const own = header("x-api-key") ?? header("x-goog-api-key");
  return bearer ?? signed ?? own ?? new URLSearchParams(query).get("key") ?? "";
}

/** How to answer a call: by a script, or with a refusal. */
type Choice =
  | { readonly call: DemoCall; readonly script: DemoScript }
  | { readonly status: number; readonly error: ErrorBody };

/**
 * Returns a function that chooses how to answer a call. Precedence of scripts: the one registered
 * for the model, the one in the call, the model's built-in one.
 */
function openChooser(scripts: Scripts): (admission: Admission, reading: CallReading) => Choice {
  const directives = new Map<string, ScriptReading>();

  function readDirective(text: string): ScriptReading {
    const known = directives.get(text);
    if (known !== undefined) return known;
    if (directives.size >= directivesKeptMax) directives.clear();
    const reading = parseScriptText(text);
    directives.set(text, reading);
    return reading;
  }

  return (admission, reading) => {
    if ("refusal" in admission) return { status: 401, error: admission.refusal };
    if (!("call" in reading)) {
      return { status: 400, error: badRequest(reading.reason, reading.param) };
    }
    const { call } = reading;
    if (!scripts.isRegistered(call.model) && call.user.startsWith(directivePrefix)) {
      const directive = readDirective(call.user.slice(directivePrefix.length));
      if ("reason" in directive) {
        return { status: 400, error: badRequest(`user: ${directive.reason}`, "user") };
      }
      return { call, script: scripts.ofCall(call.model, directive.script) };
    }
    const script = scripts.find(call.model);
    if (script === undefined) return { status: 404, error: modelNotFound(call.model) };
    return { call, script: scripts.ofCall(call.model, script) };
  };
}

function sendCounted(
  connection: Connection,
  entry: CallEntry,
  whole: WholeResponse,
): Promise<void> | undefined {
  return sendWhole(connection, whole.text, (complete) => {
    entry.wroteHead(whole.status, whole.promptTokens);
    if (complete) {
      entry.wrotePieces(whole.pieces);
      if (whole.usage !== null) entry.wroteUsage(whole.usage);
    }
    entry.close(complete ? "complete" : "aborted");
  });
}

async function playCounted(
  connection: Connection,
  entry: CallEntry,
  order: Order,
  released: () => Promise<void>,
): Promise<void> {
  let response: SteppedResponse;
  let played: Awaited<ReturnType<typeof play>>;
  try {
    response = await stepsOf(order);
    const { promptTokens, steps } = response;
    const wroteHead = (status: number): void => entry.wroteHead(status, promptTokens);
    played = await play(connection, steps, { ...entry, wroteHead }, released);
  } catch (error) {
    entry.close("cut");
    throw error;
  }
  entry.close(played === "reset" || played === "fin" ? "cut" : played);
  if (played === "reset") connection.reset();
  if (played === "fin" || (played === "complete" && response.closes)) connection.finish();
}
