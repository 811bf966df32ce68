/**
 * Answers one call, from the bytes of its request to its entry in the account: refuses it, sends a
 * whole answer, or sends an answer step by step.
 */

import type { Account, CallEntry } from "./account.ts";
import { type CallReading, type DemoCall, readCall } from "./call.ts";
import type { Connection } from "./connection.ts";
import { badRequest, type ErrorBody, modelNotFound } from "./answers/errors.ts";
import { type Api, errorBodyText, httpStatus, messageOf } from "./answers/api.ts";
import { type Admission, admitKey, keyOf } from "./keys.ts";
import type { Scripts } from "./models.ts";
import { play } from "./player.ts";
import type { DemoRequest } from "./request-parser.ts";
import { type Order, type SteppedResponse, stepsOf } from "./answers/response.ts";
import type { Target } from "./routes.ts";
import { type DemoScript, parseScriptText, type ScriptReading } from "./script.ts";
import { jsonMessage, sendWhole } from "./send.ts";
import { type WholeResponse, wholeResponse } from "./answers/whole-response.ts";

/** Prefix that marks the `user` field of a body as a script. */
const directivePrefix = "demo:";

/** The largest number of parsed scripts that are cached; the same scripts come again and again. */
const directivesKeptMax = 200;
const keyEndLength = 4;

export type CallDeps = { readonly account: Account; readonly scripts: Scripts };

/**
 * Answers a call. Returns a promise unless the whole answer was sent before the function returned.
 */
export type CallAnswerer = (
  target: Target,
  request: DemoRequest,
  connection: Connection,
) => Promise<void> | undefined;

export function openAnswerer({ account, scripts }: CallDeps): CallAnswerer {
  const choose = openChooser(scripts);
  const idPrefix = `demo${Date.now().toString(36)}`;
  let lastOrdinal = 0;

  return (target, request, connection) => {
    const admission = admit(target.api, request);
    const key = "key" in admission ? admission.key : keyOf(request);
    const reading = readCall(target, request, key);
    const { images, model, marker, stream } = "call" in reading ? reading.call : unreadable;
    const entry = account.open({ images, model, marker, stream, key: key.slice(-keyEndLength) });
    const choice = choose(admission, reading);
    lastOrdinal += 1;
    const id = idPrefix + lastOrdinal.toString(36).padStart(6, "0");
    if ("error" in choice) {
      return refuse(connection, entry, { ...choice, id, api: target.api });
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

/** Checks who calls, as the API does. */
function admit(api: Api, request: DemoRequest): Admission {
  return api.admit?.(request, Date.now()) ?? admitKey(keyOf(request));
}

type Refusal = {
  readonly status: number;
  readonly error: ErrorBody;
  readonly id: string;
  readonly api: Api;
};

function refuse(
  connection: Connection,
  entry: CallEntry,
  { api, error, id, status }: Refusal,
): Promise<void> | undefined {
  const body = errorBodyText(api, status, error);
  const message = messageOf(api);
  if (message === undefined) {
    const text = jsonMessage(httpStatus(api, status), body, id);
    return sendCounted(connection, entry, { ...nothingUsed, status, text });
  }
  entry.wroteHead(status, 0);
  connection.send(message(body));
  entry.close("complete");
  connection.finish();
  return undefined;
}

const unreadable = { images: 0, model: "", marker: "", stream: false };
const nothingUsed = { promptTokens: 0, pieces: 0, usage: null };

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
