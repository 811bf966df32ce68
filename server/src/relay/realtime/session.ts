/**
 * A realtime session: passes messages between a client and an upstream, each at the other's pace.
 * Each response is held for before it begins and charged before its last message goes out.
 */

import { HeldBytes } from "#base/memory/byte-budget.ts";
import type { Json } from "#base/json.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import type { UsageReader } from "#formats/format.ts";
import { type Amount, type ClientMessage, noAmount, type SessionError } from "#formats/live.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import type { Ticking } from "#network/ticker.ts";
import { CallRefusal, ownErrorType } from "#relay/call/call-refusal.ts";
import { endings, type Stop } from "#relay/call/endings.ts";
import type { RelayState, SessionNow } from "#relay/call/relay-state.ts";
import type { WebSocketEnd } from "#websocket/web-socket.ts";
import type { Credential } from "#relay/call/facts.ts";
import {
  chargeTranscription,
  countResponse,
  holdResponse,
  type RealtimeBill,
  type SessionFacts,
} from "./bill.ts";
import { judgeNames, type Reading } from "./named.ts";
import { closeCode, codes, invalid, setupMissing } from "./session-ends.ts";

/** The most tokens that a transcription of one turn can have. */
const transcriptMax = 16_384;

/** Bytes of text that one token has. */
const bytesPerToken = 4;

/** How long a client may take to send the message that names the model. */
const setupMsMax = 30_000;

/** What a session needs from its beginning. */
type SessionOptions = Reading & {
  readonly state: RelayState;
  readonly credential: Credential;
  /** Reads the message that names the model; null: the address has named it. */
  readonly readSetup: ((session: RealtimeSession, bytes: Buffer, isText: boolean) => void) | null;
  /** Called once, when both ends are closed or closing. */
  readonly onEnd: (session: RealtimeSession) => void;
};

/** What is known once the model is. */
type Begun = {
  readonly facts: SessionFacts;
  readonly readUsage: UsageReader;
  /** Hears each message of the upstream that is passed on; null: nobody. */
  readonly onAnswered: ((bytes: Buffer) => void) | null;
  /** Whether the upstream's API has other names for counts than the client's. */
  readonly renamesCounts: boolean;
};

type First = { readonly bytes: Uint8Array; readonly isText: boolean };

export class RealtimeSession implements Ticking {
  readonly credential: Credential;
  /** By which the console names it. */
  private readonly id: string;
  private readonly startedMs: number;
  private readonly given: SessionOptions;
  /** The memory of what upstream and client have not taken yet. */
  private readonly unsentUp: HeldBytes;
  private readonly unsentDown: HeldBytes;
  private begun: Begun | null = null;
  private bill: RealtimeBill = noBill;
  private client: WebSocketEnd | null = null;
  private upstream: WebSocketEnd | null = null;
  /** What was said in the running response, and heard since the last. */
  private said = noAmount;
  private heard = noAmount;
  /** The usage that the upstream reported last for the running response. */
  private reported: Json | undefined;
  /** Whether a response runs. */
  private isAnswering = false;
  /** Whether a charge is committed, for which the upstream's next messages wait. */
  private isCharging = false;
  private isOver = false;
  /** When the model must have been named; infinite: it has been. */
  private setupDueMs = Infinity;

  constructor(given: SessionOptions) {
    this.given = given;
    this.credential = given.credential;
    this.id = given.state.deps.newRequestId();
    this.startedMs = given.state.deps.ticker.nowMs();
    const memory = { budget: given.state.deps.budget, owner: given.credential.user.id };
    this.unsentUp = new HeldBytes(memory);
    this.unsentDown = new HeldBytes(memory);
  }

  /** To be called when the client is accepted. */
  open(client: WebSocketEnd): void {
    this.client = client;
    const { ticker } = this.given.state.deps;
    if (this.given.readSetup !== null) this.setupDueMs = ticker.nowMs() + setupMsMax;
    ticker.add(this);
  }

  /** Keeps what is held until the model is known. */
  enter(bill: RealtimeBill): void {
    if (this.isOver) bill.release();
    else this.bill = bill;
  }

  /** Ends what was held until the model is known, so that it can be held for that. */
  named(): void {
    this.bill.release();
    this.bill = noBill;
  }

  /**
   * To be called when the upstream is open as well.
   *
   * @param bill the hold of the first response.
   * @param first the message that named the model, for the upstream; null: the address named it.
   */
  begin(begun: Begun, bill: RealtimeBill, upstream: WebSocketEnd, first: First | null): void {
    if (this.isOver) {
      bill.release();
      upstream.close(codes.normal);
      return;
    }
    this.begun = begun;
    this.bill = bill;
    this.upstream = upstream;
    if (first !== null) {
      this.heard = { text: first.bytes.length, sound: 0 };
      send(upstream, first.bytes, first.isText);
    }
    this.client?.resume();
  }

  /** Hears no more of the client until the upstream is open. */
  wait(): void {
    this.client?.pause();
  }

  tick(nowMs: number): void {
    this.bill.check(nowMs);
    if (nowMs >= this.setupDueMs) this.refuse(setupMissing());
  }

  /** A message of the client. */
  asked(bytes: Buffer, isText: boolean): void {
    const { given, upstream } = this;
    if (this.isOver) return;
    if (upstream === null) {
      this.setupDueMs = Infinity;
      given.readSetup?.(this, bytes, isText);
      return;
    }
    const judged = this.judge(bytes, isText);
    if (judged.kind === "refused") {
      if (judged.ends) this.stop(invalid(judged.error));
      else this.tell(judged.error);
      return;
    }
    this.heard = sum(this.heard, judged.heard);
    send(upstream, judged.message, isText);
    if (upstream.isFull()) {
      this.client?.pause();
      this.holdUnsent(this.unsentUp, bytes.length);
    }
  }

  private judge(bytes: Buffer, isText: boolean): ClientMessage {
    const { begun, given } = this;
    const message = given.reader.readClient(bytes, isText);
    if (message.kind === "refused" || begun === null) return message;
    return judgeNames(begun.facts, bytes, given) ?? message;
  }

  /** A message of the upstream. */
  answered(bytes: Buffer, isText: boolean): void {
    const { begun, client } = this;
    if (client === null || begun === null || this.isOver) return;
    const { isAnswer, kind, renamed, said, usage } = this.given.reader.readUpstream(bytes, isText);
    if (kind === "unreadable") return;
    if (isAnswer) this.isAnswering = true;
    this.said = sum(this.said, said);
    begun.onAnswered?.(bytes);
    const told = begun.renamesCounts ? (renamed ?? bytes) : bytes;
    if (kind === "transcribed") void this.chargeSpeech(begun, bytes, usage);
    else {
      // A report outside a response belongs to one that has been charged.
      if (usage !== undefined && (this.isAnswering || kind === "done")) this.reported = usage;
      if (kind === "done") void this.settle(begun, told, isText);
      else send(client, told, isText);
    }
    if (client.isFull()) {
      this.upstream?.pause();
      this.holdUnsent(this.unsentDown, told.length);
    }
  }

  /** Holds the memory of a message that the other end has not taken yet. */
  private holdUnsent(held: HeldBytes, bytes: number): void {
    if (held.hold(held.bytes + bytes) !== null) this.stop(endings.busy);
  }

  clientDrained(): void {
    this.unsentDown.free();
    this.resumeUpstream();
  }

  upstreamDrained(): void {
    this.unsentUp.free();
    this.client?.resume();
  }

  clientClosed(code: number): void {
    this.upstream?.close(code === codes.goingAway ? codes.goingAway : codes.normal);
    void this.end(endings.disconnected.note);
  }

  upstreamClosed(code: number, reason: string): void {
    const isLost = code === 1_006 || code === 1_005;
    if (isLost) this.client?.close(codes.failed, endings.broken.error.code);
    else this.client?.close(code, reason);
    void this.end(endings.broken.note);
  }

  /** Null: its model is not known yet. */
  now(): SessionNow | null {
    const { begun, credential, id, startedMs } = this;
    if (begun === null || this.isOver) return null;
    const { plan, tried } = begun.facts;
    const { formatId, group, model } = plan;
    return { id, credential, formatId, group, model, startedMs, tried };
  }

  /** Ends the session by the gateway's decision. */
  stop(stop: Stop): void {
    if (this.isOver) return;
    const told = this.tell(stop.error);
    this.client?.close(closeCode(stop), told ? stop.error.code : this.reasonOf(stop.error));
    this.upstream?.close(codes.normal);
    void this.end(stop.note);
  }

  /** Ends the session because the client may not begin it, or may not go on. */
  refuse(error: unknown): void {
    const { log } = this.given.state.deps;
    if (!(error instanceof CallRefusal)) log.error({ err: error }, "a realtime session failed");
    const { code, message, status } =
      error instanceof CallRefusal
        ? error
        : { code: "internal_error", message: "internal error", status: 500 };
    this.stop({ status, error: { type: ownErrorType, code, message }, note: "" });
  }

  /** Charges the response that is done, sends its last message, and holds for the next. */
  private async settle(begun: Begun, done: Buffer, isText: boolean): Promise<void> {
    const { facts, readUsage } = begun;
    const { bill, reported } = this;
    const counted = this.count(readUsage(reported), true);
    this.isAnswering = false;
    this.reported = undefined;
    this.said = noAmount;
    this.heard = noAmount;
    await this.charging(async () => {
      await bill.end(counted, "");
      if (this.client !== null) send(this.client, done, isText);
      // The session may have ended meanwhile, with nothing left to charge.
      if (this.hasEnded()) return;
      this.bill = noBill;
      await this.holdNext(facts, counted.usage);
    });
  }

  private async holdNext(facts: SessionFacts, last: Usage): Promise<void> {
    const next = await holdResponse(facts, this.given.state.deps.newRequestId(), last);
    if (this.isOver) next.release();
    else this.bill = next;
  }

  /** Charges what was transcribed of the user's speech, and then passes it on. */
  private async chargeSpeech(
    { facts }: Begun,
    done: Buffer,
    usage: Json | undefined,
  ): Promise<void> {
    const { reader } = this.given;
    const { model, sound } = reader.takeSpeech?.() ?? { model: "", sound: 0 };
    const own = { input: 0, output: 0, heard: reader.heardTokens(sound), said: 0 };
    await this.charging(async () => {
      const counted = countResponse(
        { usage: readMediaUsage(usage), isEnded: true },
        own,
        transcriptMax,
      );
      if (model !== "") await chargeTranscription(facts, model, counted);
      this.client?.sendText(done);
    });
  }

  /** Does this while nothing is read from the upstream, and ends the session if it fails. */
  private async charging(work: () => Promise<void>): Promise<void> {
    this.isCharging = true;
    this.upstream?.pause();
    try {
      await work();
    } catch (error) {
      this.refuse(error);
    }
    this.isCharging = false;
    this.resumeUpstream();
  }

  private resumeUpstream(): void {
    if (!this.isCharging && this.client?.isFull() !== true) this.upstream?.resume();
  }

  private hasEnded(): boolean {
    return this.isOver;
  }

  private count(usage: ReadUsage, isEnded: boolean) {
    const { reader, state } = this.given;
    return countResponse(
      { usage, isEnded },
      {
        input: Math.ceil(this.heard.text / bytesPerToken),
        output: Math.ceil(this.said.text / bytesPerToken),
        heard: reader.heardTokens(this.heard.sound),
        said: reader.saidTokens(this.said.sound),
      },
      state.deps.snapshot.options.outputTokensHeld,
    );
  }

  /** Tells the client of an error, if the API has messages for that. */
  private tell(error: SessionError): boolean {
    const { reader, state } = this.given;
    const { deps } = state;
    if (reader.errorMessage === undefined) return false;
    const message = deps.errorText(error.message, null);
    this.client?.send(
      reader.errorMessage(deps.newRequestId(), { type: ownErrorType, ...error, message }),
    );
    return true;
  }

  /** What a close says of an error; the WebSocket cuts it at 123 bytes. */
  private reasonOf({ code, message }: SessionError): string {
    return `${code}: ${this.given.state.deps.errorText(message, null)}`;
  }

  /** Ends the hold: a response that ran is charged as far as it came. */
  private async end(note: string): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    this.unsentUp.free();
    this.unsentDown.free();
    const { begun, bill, given, reported } = this;
    this.bill = noBill;
    given.onEnd(this);
    const { ticker, log } = given.state.deps;
    if (!this.isAnswering || begun === null) {
      bill.release();
      ticker.remove(this);
      return;
    }
    this.bill = bill;
    try {
      await bill.end(this.count(begun.readUsage(reported), false), note);
    } catch (error) {
      log.error({ err: error }, "a realtime session could not be charged");
    }
    ticker.remove(this);
  }
}

/** Sends a message as it came: as text or as bytes. */
function send(end: WebSocketEnd, message: Uint8Array | string, isText: boolean): void {
  if (isText && typeof message !== "string") end.sendText(message);
  else end.send(message);
}

function sum(a: Amount, b: Amount): Amount {
  if (b === noAmount) return a;
  return { text: a.text + b.text, sound: a.sound + b.sound };
}

/** Between two responses, while the next is not held for yet. */
const noBill: RealtimeBill = { end: async () => {}, release() {}, check() {} };
