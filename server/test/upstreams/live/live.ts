/**
 * Sessions of Gemini's Live API with scripted turns. A turn begins with the end of what the user
 * says, or with the results of tools, and interrupts the one before it.
 * Source: https://ai.google.dev/api/live.
 */

import type { Account, CallEntry } from "@tollgate/demo/account.ts";
import { keyOf, refuseKey } from "@tollgate/demo/keys.ts";
import { badRequest, errorText, keyRefused } from "@tollgate/demo/answers/errors.ts";
import { contentPieces, scriptedPieceCount } from "@tollgate/demo/answers/pieces.ts";
import type { Connection } from "@tollgate/demo/connection.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  objectsOf,
  parseObject,
} from "@tollgate/demo/json.ts";
import type { Scripts } from "@tollgate/demo/models.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { sendJson } from "@tollgate/demo/send.ts";
import { isAccessToken, isVertexLivePath, vertexModel, wrongForVertex } from "./vertex.ts";
import { acceptWebSocket, type WebSocketEnd } from "./web-socket.ts";

const livePath =
  /\/ws\/google\.ai\.generativelanguage\.v1(?:alpha|beta)\.GenerativeService\.BidiGenerateContent$/;

/** Whether a session is asked for. */
export function isLivePath(path: string): boolean {
  return livePath.test(path) || isVertexLivePath(path);
}

type LiveDeps = { readonly account: Account; readonly scripts: Scripts };

/** Tokens of a second of sound, and bytes of base64 in one: 16,000 samples of 16 bits. */
const tokensPerSecond = 25;
const heardBytesPerSecond = (32_000 * 4) / 3;

/** What the demo upstream says for one token: 40 ms of silence, 24,000 samples a second. */
const silence = Buffer.alloc((48_000 / 1_000) * 40).toString("base64");

type Session = LiveDeps & {
  readonly connection: Connection;
  readonly key: string;
  /** Whether it is one of Vertex; null: of Google AI. */
  readonly vertex: { readonly isAccount: boolean } | null;
  readonly model: string;
  readonly script: DemoScript;
  readonly setup: JsonObject;
  /** Bytes of text and of sound that the model has read so far. */
  readonly heard: { text: number; sound: number };
  /** The turn that runs; null: none does. */
  turn: { isInterrupted: boolean; readonly ended: Promise<void> } | null;
};

/** Answers a request for a session, which ends with its connection. */
export function answerLive(
  deps: LiveDeps,
  request: DemoRequest,
  connection: Connection,
): Promise<void> | undefined {
  const refusal = refuseKey(request);
  if (refusal !== undefined) return sendJson(connection, 401, errorText(refusal));
  const key = keyOf(request);
  const isAccount = isAccessToken(key);
  const vertex = isVertexLivePath(request.path) ? { isAccount } : null;
  // A bearer that is no token of ours, and a token elsewhere, are refused.
  if (isAccount !== (vertex !== null && request.header("authorization") !== undefined)) {
    return sendJson(connection, 401, errorText(keyRefused(key)));
  }
  const given = { ...deps, connection, key, vertex };
  let session: Session | null = null;
  const end = acceptWebSocket(request, connection, {
    message(text) {
      const message = parseObject(text);
      if (end === undefined) return;
      if (message === undefined) end.close(1_007, "Invalid JSON payload received.");
      else if (session === null) session = begin(given, message, end);
      else void hear(session, message, end);
    },
    closed() {},
  });
  if (end !== undefined) return connection.gone();
  return sendJson(connection, 400, errorText(badRequest("a WebSocket is required", null)));
}

function begin(
  given: LiveDeps & Pick<Session, "connection" | "key" | "vertex">,
  { setup }: JsonObject,
  end: WebSocketEnd,
): Session | null {
  const named = isObject(setup) && typeof setup["model"] === "string" ? setup["model"] : "";
  const { vertex } = given;
  const model =
    vertex === null ? named.replace(/^models\//, "") : vertexModel(named, vertex.isAccount);
  const script = given.scripts.find(model);
  if (!isObject(setup) || script === undefined) {
    end.close(1_008, `${named} is not found, or is not supported for bidiGenerateContent.`);
    return null;
  }
  end.send({ setupComplete: {} });
  const heard = { text: Buffer.byteLength(JSON.stringify(setup)), sound: 0 };
  return { ...given, model, script, setup, heard, turn: null };
}

async function hear(session: Session, message: JsonObject, end: WebSocketEnd): Promise<void> {
  if (message["setup"] !== undefined) {
    end.close(1_007, "setup must be the first message and only the first.");
    return;
  }
  const wrong = session.vertex === null ? "" : wrongForVertex(message);
  if (wrong !== "") {
    end.close(1_007, wrong);
    return;
  }
  const content = message["clientContent"] ?? message["client_content"];
  const input = message["realtimeInput"] ?? message["realtime_input"];
  const results = message["toolResponse"] ?? message["tool_response"];
  const sound = isObject(input) && isObject(input["audio"]) ? input["audio"]["data"] : undefined;
  if (typeof sound === "string") session.heard.sound += sound.length;
  else session.heard.text += Buffer.byteLength(JSON.stringify(message));
  const asks =
    (isObject(content) && (content["turnComplete"] ?? content["turn_complete"]) === true) ||
    (isObject(input) &&
      ["activityEnd", "audioStreamEnd", "text"].some((name) => input[name] !== undefined)) ||
    results !== undefined;
  if (!asks) return;
  if (session.turn !== null) {
    session.turn.isInterrupted = true;
    await session.turn.ended;
  }
  const ended = Promise.withResolvers<void>();
  const turn = { isInterrupted: false, ended: ended.promise };
  session.turn = turn;
  const call = results === undefined ? callOf(session) : undefined;
  if (call === undefined) await playTurn(session, turn, end);
  else end.send({ toolCall: { functionCalls: [call] } });
  if (session.turn === turn) session.turn = null;
  ended.resolve();
}

/** The scripted call of a function that the client offers. Undefined: there is none. */
function callOf({ script, setup }: Session): JsonObject | undefined {
  const offered = new Set(
    objectsOf(setup["tools"])
      .flatMap((tool) => objectsOf(tool["functionDeclarations"]))
      .map(({ name }) => name),
  );
  const call = script.callOneOf?.find(({ name }) => offered.has(name));
  return call === undefined ? undefined : { id: "call-1", name: call.name, args: call.arguments };
}

/** Says the pieces of the script, and then what the turn has used. */
async function playTurn(
  session: Session,
  turn: { readonly isInterrupted: boolean },
  end: WebSocketEnd,
): Promise<void> {
  const { account, connection, key, model, script } = session;
  const entry = account.open({ images: 0, key: key.slice(-4), marker: "", model, stream: true });
  const prompt = promptOf(session);
  entry.wroteHead(200, prompt.text + prompt.sound);
  const pieces = script.events ?? scriptedPieceCount;
  let said = 0;
  while (said < pieces && !turn.isInterrupted && !connection.isClosed()) {
    if (await isCut(session, said)) return entry.close("cut");
    if (script.eventDelayMs !== undefined) await connection.pause(script.eventDelayMs);
    end.send(pieceOf(session, said));
    said += 1;
    entry.wrotePieces(1);
  }
  if (connection.isClosed()) return entry.close("aborted");
  end.send({
    serverContent: turn.isInterrupted ? { interrupted: true } : { generationComplete: true },
  });
  if (await isCut(session, "before-done")) return entry.close("cut");
  finishTurn(session, entry, end, said);
}

function finishTurn(session: Session, entry: CallEntry, end: WebSocketEnd, said: number): void {
  const { connection, script, setup } = session;
  const usage = script.usage ?? usageOf(session, said);
  const usageMetadata = usage === false ? {} : { usageMetadata: usage };
  end.send({ serverContent: { turnComplete: true }, ...usageMetadata });
  if (usage !== false) entry.wroteUsage(JSON.stringify(usage));
  if (setup["sessionResumption"] !== undefined) {
    const newHandle = crypto.randomUUID();
    end.send({ sessionResumptionUpdate: { newHandle, resumable: true } });
  }
  entry.close(connection.isClosed() ? "aborted" : "complete");
}

/** Waits and breaks off where the script says so. Returns whether the connection was broken off. */
async function isCut(
  { connection, model, script: { cut, hold }, scripts }: Session,
  at: number | "before-done",
): Promise<boolean> {
  if (hold === at) await Promise.race([scripts.released(model), connection.gone()]);
  if (cut?.after !== at) return false;
  if (cut.how === "reset") connection.reset();
  else if (cut.how === "fin") connection.finish();
  else await connection.gone();
  return true;
}

function speaks({ setup }: Session): boolean {
  const config = setup["generationConfig"];
  const modalities = isObject(config) ? config["responseModalities"] : undefined;
  return JSON.stringify(modalities ?? ["AUDIO"]).includes("AUDIO");
}

function pieceOf(session: Session, index: number): object {
  const text = String(JSON.parse(`"${contentPieces(session.script).jsonAt(index)}"`));
  if (!speaks(session)) {
    return { serverContent: { modelTurn: { role: "model", parts: [{ text }] } } };
  }
  const inlineData = { mimeType: "audio/pcm;rate=24000", data: silence };
  const outputTranscription = { text };
  return {
    serverContent: { modelTurn: { role: "model", parts: [{ inlineData }] }, outputTranscription },
  };
}

/** The tokens of everything that was said in the session so far. */
function promptOf({ heard, script }: Session): { readonly text: number; readonly sound: number } {
  const sound =
    script.audioInputTokens ?? Math.ceil((heard.sound / heardBytesPerSecond) * tokensPerSecond);
  return { text: (script.promptTokens ?? Math.ceil(heard.text / 4) + sound) - sound, sound };
}

function usageOf(session: Session, said: number): Json {
  const { cachedTokens = 0, reasoningTokens = 0 } = session.script;
  const { sound, text } = promptOf(session);
  const modality = speaks(session) ? "AUDIO" : "TEXT";
  const output = session.vertex === null ? "response" : "candidates";
  return {
    promptTokenCount: text + sound,
    [`${output}TokenCount`]: said,
    totalTokenCount: text + sound + said,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: text },
      ...(sound === 0 ? [] : [{ modality: "AUDIO", tokenCount: sound }]),
    ],
    [`${output}TokensDetails`]: [{ modality, tokenCount: said }],
    ...(cachedTokens === 0 ? {} : { cachedContentTokenCount: cachedTokens }),
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  };
}
