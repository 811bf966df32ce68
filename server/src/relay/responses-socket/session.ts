/**
 * A WebSocket for responses: begins a call for each response that the client asks for, one after the
 * other in each lane, and keeps what was said for those that continue it. The calls themselves are
 * judged, held, charged and logged by the relay as any other.
 */

import { HeldBytes } from "#base/memory/byte-budget.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { CallMeta, ClientRequest, Fields } from "#http/client-request.ts";
import type { Ticking } from "#network/ticker.ts";
import { CallRefusal, refusalResponse } from "#relay/call/call-refusal.ts";
import { endings, type Stop } from "#relay/call/endings.ts";
import {
  bodyRefused,
  shuttingDown,
  socketsOff,
  socketTooOld,
  tooManyWaiting,
  tooMuchUnfinishedByUser,
} from "#relay/call/refusals.ts";
import type { OpenSession, RelayState } from "#relay/call/relay-state.ts";
import { closeCode, codes } from "#relay/realtime/session-ends.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { WebSocketEnd } from "#websocket/web-socket.ts";
import { Conversations, type Kept } from "./conversations.ts";
import { refusalMessage, type Said, steerRefused, unaskedMessages } from "./events.ts";
import { type Create, readAsked } from "./messages.ts";
import { bodyAfter, itemsWith, ownItems } from "./items.ts";
import { SocketTurn } from "./turn.ts";

/** How many responses of one WebSocket may run at the same time, each in a lane of its own. */
const lanesMax = 8;
/** How many may wait for those. */
const waitingMax = 16;
/** How long a WebSocket may be open without a response. */
const idleMsMax = 30 * 60_000;
/** How old a WebSocket may be that a response begins on, as at OpenAI (read 2026-11-29). */
const ageMsMax = 60 * 60_000;

/** Answers a request as the relay does. Never rejects. */
export type AnswerCall = (request: ClientRequest, meta: CallMeta) => Promise<void>;

type SessionGiven = {
  readonly state: RelayState;
  readonly answer: AnswerCall;
  readonly credential: Credential;
  readonly clientIp: string;
  readonly format: ClientFormat;
  readonly host: string;
  readonly peer: string;
  /** The header fields of each response. */
  readonly headers: Fields;
  /** Called once, when the WebSocket is closed or closing. */
  readonly onEnd: (session: ResponsesSession) => void;
};

type Waiting = { readonly create: Create; readonly bytes: number };

export class ResponsesSession implements OpenSession, Ticking {
  readonly credential: Credential;
  private readonly given: SessionGiven;
  private readonly conversations: Conversations;
  private readonly waitingHeld: HeldBytes;
  private client: WebSocketEnd | null = null;
  private readonly running = new Map<string, SocketTurn>();
  private waiting: Waiting[] = [];
  private idleDueMs = Infinity;
  private oldFromMs = Infinity;
  /** Why no response begins any more; null: they do. */
  private stopped: Stop | null = null;
  private isOver = false;

  constructor(given: SessionGiven) {
    this.given = given;
    this.credential = given.credential;
    const { deps, conversations } = given.state;
    const { budget } = deps;
    const owner = given.credential.user.id;
    // An owner of its own: what is kept between turns takes nothing from the user's requests.
    const memory = { budget, owner: `conversations of ${owner}` };
    const { bodyBytesMax } = deps.snapshot.options;
    this.conversations = new Conversations(memory, conversations, bodyBytesMax);
    this.waitingHeld = new HeldBytes({ budget, owner });
  }

  /** To be called when the client is accepted. */
  open(client: WebSocketEnd): void {
    const { ticker } = this.given.state.deps;
    this.client = client;
    this.idleDueMs = ticker.nowMs() + idleMsMax;
    this.oldFromMs = ticker.nowMs() + ageMsMax;
    ticker.add(this);
  }

  tick(nowMs: number): void {
    if (this.running.size === 0 && nowMs >= this.idleDueMs) this.close(codes.goingAway, "idle");
  }

  /** A message of the client. */
  asked(bytes: Buffer, isText: boolean): void {
    if (this.isOver) return;
    const asked = readAsked(bytes, isText);
    switch (asked.kind) {
      case "none":
        return;
      case "refused":
        this.refuse(asked.refusal, asked.lane);
        return;
      case "steer":
        this.send(steerRefused(asked.previousId, asked.input));
        return;
      case "create":
        this.create(asked.create, bytes.length);
        return;
    }
  }

  clientDrained(): void {
    this.client?.resume();
    for (const turn of this.running.values()) turn.drained();
  }

  clientClosed(): void {
    this.end();
    for (const turn of this.running.values()) turn.disconnect();
  }

  /** Its responses are calls of their own. */
  now(): null {
    return null;
  }

  /** Ends it by the gateway's decision, once the responses that run have ended. */
  stop(stop: Stop): void {
    if (this.isOver || this.stopped !== null) return;
    this.stopped = stop;
    for (const { create } of this.takeWaiting()) this.refuse(refusalOf(stop), create.lane);
    if (this.running.size > 0) return;
    // A client that waits for nothing takes the close of a server that stops as it is.
    if (stop !== endings.stopped) this.refuse(refusalOf(stop), "");
    this.closeStopped(stop);
  }

  private closeStopped(stop: Stop): void {
    this.close(closeCode(stop), stop.error.code);
  }

  private create(create: Create, bytes: number): void {
    const { lane } = create;
    const refusal = this.refusalNow();
    if (refusal !== null) {
      const { closes, error } = refusal;
      this.refuse(error, lane);
      if (closes && this.running.size === 0) this.close(codes.goingAway, error.code);
      return;
    }
    if (this.mayBegin(lane)) this.begin(create);
    else if (this.waiting.length >= waitingMax) this.refuse(tooManyWaiting(waitingMax), lane);
    else if (this.waitingHeld.hold(this.waitingHeld.bytes + bytes) !== null) {
      this.refuse(tooMuchUnfinishedByUser(), lane);
    } else this.waiting.push({ create, bytes });
  }

  /** Says why no response may begin, and whether that ends the WebSocket; null: one may. */
  private refusalNow(): { readonly error: CallRefusal; readonly closes: boolean } | null {
    const { deps, isStopping } = this.given.state;
    if (this.stopped !== null) return { error: refusalOf(this.stopped), closes: false };
    if (isStopping) return { error: shuttingDown(), closes: true };
    if (!deps.snapshot.options.takesResponsesSockets) return { error: socketsOff(), closes: true };
    if (deps.ticker.nowMs() < this.oldFromMs) return null;
    return { error: socketTooOld(ageMsMax / 60_000), closes: true };
  }

  /** Whether a response of the lane may run now: no other of it runs, and none waits. */
  private mayBegin(lane: string): boolean {
    const isFree = this.running.size < lanesMax && !this.running.has(lane);
    return isFree && !this.waiting.some(({ create }) => create.lane === lane);
  }

  private begin(create: Create): void {
    const { lane, previousId } = create;
    const before = previousId === "" ? null : this.conversations.take(previousId);
    const items = ownItems(create.input);
    if (create.generates) this.call(create, before, items);
    else {
      if (before === null && previousId !== "") this.refuse(notSeen(), lane);
      else this.keepUnasked(create, before, items);
      this.conversations.letGo(before);
    }
  }

  /** Keeps a conversation that no model is asked to go on with yet. */
  private keepUnasked({ lane, model }: Create, before: Kept | null, items: Uint8Array): void {
    const { deps } = this.given.state;
    const requestId = deps.newRequestId();
    const id = `resp_${requestId.replaceAll(/[^\w]/g, "")}`;
    this.conversations.keep(id, before, items);
    const told = { lane, head: { requestId } };
    const messages = unaskedMessages(id, model, told);
    for (const message of messages) this.send(message);
    this.rest();
  }

  private call(create: Create, before: Kept | null, items: Uint8Array): void {
    const { answer, clientIp, headers, host, peer, state } = this.given;
    const { lane } = create;
    const requestId = state.deps.newRequestId();
    const turn = new SocketTurn({
      lane,
      host,
      peer,
      headers,
      body: bodyAfter(create, before, items),
      broken: () => this.responseOf(interrupted(), requestId),
      send: (message) => this.send(message),
      isFull: () => this.client?.isFull() === true,
      onEnd: (said) => this.ended(lane, { before, items, said }),
    });
    this.running.set(lane, turn);
    void answer(turn, { clientIp, requestId });
  }

  private ended(
    lane: string,
    turn: { readonly before: Kept | null; readonly items: Uint8Array; readonly said: Said | null },
  ): void {
    this.running.delete(lane);
    const { before, items, said } = turn;
    if (said !== null) {
      this.conversations.keep(said.id, before, itemsWith(items, said.event, said.output));
    }
    this.conversations.letGo(before);
    this.rest();
    if (this.isOver) return;
    if (this.stopped !== null) {
      if (this.running.size === 0) this.closeStopped(this.stopped);
    } else this.beginWaiting();
  }

  private rest(): void {
    this.idleDueMs = this.given.state.deps.ticker.nowMs() + idleMsMax;
  }

  /** Begins those of the waiting responses whose lane is free. */
  private beginWaiting(): void {
    const waiting = this.takeWaiting();
    for (const each of waiting) {
      if (this.mayBegin(each.create.lane)) this.begin(each.create);
      else this.waiting.push(each);
    }
    this.waitingHeld.hold(this.waiting.reduce((sum, { bytes }) => sum + bytes, 0));
  }

  private takeWaiting(): Waiting[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }

  private refuse(refusal: CallRefusal, lane: string): void {
    const requestId = this.given.state.deps.newRequestId();
    this.send(refusalMessage(this.responseOf(refusal, requestId), lane));
  }

  private responseOf(refusal: CallRefusal, requestId: string) {
    const { format, headers, state } = this.given;
    return refusalResponse(format, refusal, { requestId, headers }, state.deps.errorText);
  }

  private send(message: Uint8Array): void {
    const { client } = this;
    if (client === null) return;
    client.sendText(message);
    // Who does not read what is said is not heard either, so that nothing piles up.
    if (client.isFull()) client.pause();
  }

  private close(code: number, reason: string): void {
    this.client?.close(code, reason);
    this.end();
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.takeWaiting();
    this.waitingHeld.free();
    this.conversations.free();
    this.given.state.deps.ticker.remove(this);
    this.given.onEnd(this);
  }
}

function refusalOf({ status, error }: Stop): CallRefusal {
  return new CallRefusal(status, error.code, error.message);
}

function interrupted(): CallRefusal {
  const { error, status } = endings.broken;
  return new CallRefusal(status, error.code, error.message);
}

const notSeen = () =>
  bodyRefused(
    "previous_response_not_found",
    "previous_response_id",
    "this connection has no response of this id",
  );
