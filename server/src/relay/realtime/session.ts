/**
 * A realtime session: passes messages between a client and an upstream, each at the other's pace.
 * Each response is held for before it begins and charged before its last message goes out.
 */

import type { ReadUsage } from "#canonical/usage.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import type { ErrorText } from "#formats/format.ts";
import type { Ticking } from "#network/ticker.ts";
import { CallRefusal, ownErrorType } from "#relay/answers/call-refusal.ts";
import { endings, type Stop } from "#relay/answers/endings.ts";
import type { WebSocketEnd } from "#websocket/web-socket.ts";
import type { Credential } from "#relay/stages/authenticate.ts";
import {
  chargeTranscription,
  countResponse,
  holdResponse,
  type RealtimeBill,
  type SessionFacts,
} from "./bill.ts";
import {
  checkedTypes,
  checkMessage,
  errorEvent,
  heardTokens,
  outputOf,
  saidTokens,
  typeOf,
  usageIn,
} from "./messages.ts";

/** Close codes of RFC 6455, section 7.4.1. */
const codes = { normal: 1_000, goingAway: 1_001, policy: 1_008, upstreamLost: 1_011 } as const;

/** The event with the transcription of what the user said. */
const transcribed = "conversation.item.input_audio_transcription.completed";

/** The most tokens that a transcription of one turn can have. */
const transcriptMax = 16_384;

/** Bytes of text that one token has. */
const bytesPerToken = 4;

type SessionOptions = SessionFacts & {
  /** The model by the name that the upstream knows. */
  readonly upstreamModel: string;
  readonly readUsage: (last: unknown, first: unknown) => ReadUsage;
  /** Whether the client may have speech transcribed by a model. */
  readonly mayTranscribe: (model: string) => boolean;
  /** Called once, when both ends are closed or closing. */
  readonly onEnd: (session: RealtimeSession) => void;
};

export class RealtimeSession implements Ticking {
  readonly credential: Credential;
  private readonly given: SessionOptions;
  private bill: RealtimeBill;
  private client: WebSocketEnd | null = null;
  private upstream: WebSocketEnd | null = null;
  /** What was said in the running response, and heard since the last, in bytes. */
  private said = { text: 0, sound: 0 };
  private heard = { text: 0, sound: 0 };
  /** The model that transcribes what the user says; empty: none does. */
  private transcriber = "";
  /** Bytes of sound that were heard since the last transcription. */
  private unread = 0;
  /** Whether a response runs. */
  private isAnswering = false;
  private isOver = false;

  constructor(given: SessionOptions, bill: RealtimeBill) {
    this.given = given;
    this.credential = given.credential;
    this.bill = bill;
  }

  /** To be called when both ends are open. */
  open(client: WebSocketEnd, upstream: WebSocketEnd): void {
    this.client = client;
    this.upstream = upstream;
    this.given.state.deps.ticker.add(this);
  }

  isOpen(): boolean {
    return this.client !== null;
  }

  tick(nowMs: number): void {
    this.bill.check(nowMs);
  }

  /** A message of the client. */
  asked(bytes: Buffer, isText: boolean): void {
    const { upstream } = this;
    if (upstream === null || this.isOver) return;
    const type = isText ? typeOf(bytes) : undefined;
    if (type === undefined) {
      this.tell({
        code: "invalid_event",
        message: "a message must be one JSON object with a type",
      });
      return;
    }
    if (type === "input_audio_buffer.append") {
      this.heard.sound += bytes.length;
      this.unread += bytes.length;
    } else this.heard.text += bytes.length;
    if (!checkedTypes.has(type)) upstream.sendText(bytes);
    else {
      const named = { client: this.given.plan.model, upstream: this.given.upstreamModel };
      const checked = checkMessage(bytes, named, this.given.mayTranscribe);
      if (checked.kind === "forward") {
        if (checked.transcriber !== "") this.transcriber = checked.transcriber;
        upstream.send(checked.text);
      } else this.tell({ code: "invalid_value", message: checked.message, param: checked.param });
    }
    if (upstream.isFull()) this.client?.pause();
  }

  /** A message of the upstream. */
  answered(bytes: Buffer, isText: boolean): void {
    const { client } = this;
    if (client === null || this.isOver) return;
    const type = isText ? typeOf(bytes) : undefined;
    if (type === undefined) return;
    if (type === "response.created") this.isAnswering = true;
    const output = outputOf(type, bytes);
    this.said.text += output.text;
    this.said.sound += output.sound;
    if (type === "response.done") void this.settle(bytes);
    else if (type === transcribed) void this.chargeSpeech(bytes);
    else client.sendText(bytes);
    if (client.isFull()) this.upstream?.pause();
  }

  clientDrained(): void {
    this.upstream?.resume();
  }

  upstreamDrained(): void {
    this.client?.resume();
  }

  clientClosed(code: number): void {
    this.upstream?.close(code === codes.goingAway ? codes.goingAway : codes.normal);
    void this.end(endings.disconnected.note);
  }

  upstreamClosed(code: number, reason: string): void {
    const isLost = code === 1_006 || code === 1_005;
    this.client?.close(isLost ? codes.upstreamLost : code, reason);
    void this.end(endings.broken.note);
  }

  /** Ends the session by the gateway's decision. */
  stop(stop: Stop): void {
    if (this.isOver) return;
    this.tell(stop.error);
    const code = stop === endings.stopped ? codes.goingAway : codes.policy;
    this.client?.close(code, stop.error.code);
    this.upstream?.close(codes.normal);
    void this.end(stop.note);
  }

  /** Charges the response that is done, sends its last message, and holds for the next. */
  private async settle(done: Buffer): Promise<void> {
    const { given, upstream } = this;
    const { deps } = given.state;
    upstream?.pause();
    const reported = usageIn(done);
    const { bill } = this;
    const counted = this.count(given.readUsage(reported, reported));
    this.isAnswering = false;
    this.said = { text: 0, sound: 0 };
    this.heard = { text: 0, sound: 0 };
    try {
      await bill.end(counted, "");
      this.client?.sendText(done);
      // The session may have ended meanwhile, with nothing left to charge.
      if (this.isOver) return;
      this.bill = noBill;
      const next = await holdResponse(given, deps.newRequestId());
      if (this.hasEnded()) next.release();
      else this.bill = next;
    } catch (error) {
      this.refuse(error);
    }
    upstream?.resume();
  }

  /** Charges what was transcribed of the user's speech, and then passes it on. */
  private async chargeSpeech(done: Buffer): Promise<void> {
    const { given, transcriber, upstream } = this;
    upstream?.pause();
    const own = { input: 0, output: 0, heard: heardTokens(this.unread), said: 0 };
    this.unread = 0;
    try {
      const counted = countResponse({ usage: readMediaUsage(usageIn(done)) }, own, transcriptMax);
      if (transcriber !== "") await chargeTranscription(given, transcriber, counted);
      this.client?.sendText(done);
    } catch (error) {
      this.refuse(error);
    }
    upstream?.resume();
  }

  private hasEnded(): boolean {
    return this.isOver;
  }

  private refuse(error: unknown): void {
    const { state } = this.given;
    if (!(error instanceof CallRefusal)) {
      state.deps.log.error({ err: error }, "a realtime session failed");
    }
    const { code, message } =
      error instanceof CallRefusal ? error : { code: "internal_error", message: "internal error" };
    const told = { type: ownErrorType, code, message };
    this.stop({ status: 403, error: told, note: "" });
  }

  private count(usage: ReadUsage) {
    return countResponse(
      { usage },
      {
        input: Math.ceil(this.heard.text / bytesPerToken),
        output: Math.ceil(this.said.text / bytesPerToken),
        heard: heardTokens(this.heard.sound),
        said: saidTokens(this.said.sound),
      },
      this.given.state.deps.snapshot.options.outputTokensHeld,
    );
  }

  private tell({ type = ownErrorType, code, message, param = "" }: Told): void {
    const { deps } = this.given.state;
    const text = deps.errorText(message, null);
    this.client?.send(
      errorEvent(`evt_${deps.newRequestId()}`, { type, code, message: text, param }),
    );
  }

  /** Ends the hold: a response that ran is charged as far as it came. */
  private async end(note: string): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    const { given, bill } = this;
    this.bill = noBill;
    given.onEnd(this);
    const { ticker, log } = given.state.deps;
    if (!this.isAnswering) {
      bill.release();
      ticker.remove(this);
      return;
    }
    this.bill = bill;
    try {
      await bill.end(this.count({ kind: "missing" }), note);
    } catch (error) {
      log.error({ err: error }, "a realtime session could not be charged");
    }
    ticker.remove(this);
  }
}

type Told = Partial<ErrorText> & Pick<ErrorText, "code" | "message">;

/** Between two responses, while the next is not held for yet. */
const noBill: RealtimeBill = { end: async () => {}, release() {}, check() {} };
