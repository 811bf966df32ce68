import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { JsonObject } from "#base/json.ts";
import type {
  CanonicalEvent,
  Finish,
  ItemHead,
  OutputItem,
  TokenLogprob,
  UpstreamFault,
} from "#canonical/event.ts";
import type {
  Citation,
  HostedOutcome,
  Issuer,
  MediaPart,
  Opaque,
  Part,
  ToolCallItem,
} from "#canonical/request.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import { addReport, sumUp, tellsOutput, type UsageReports } from "#canonical/usage-reports.ts";
import { sealItem } from "./opaque-item.ts";

/** A tool call that begins. */
type CallHead = Pick<ToolCallItem, "callId" | "name"> &
  Partial<Pick<ToolCallItem, "form" | "opaque">>;

/**
 * Makes the canonical events of one answer. It keeps their discipline, so that readers of formats
 * only report what they see: an item ends before the next one starts, and nothing follows `finish`
 * or `fault`.
 *
 * `block` tells pieces of the same kind apart that belong to different items; pieces without it
 * belong to the item that is open.
 */
export type AnswerEvents = {
  /** Returns the events that were made since the last call. */
  take(): CanonicalEvent[];
  /**
   * Only the first call has an effect: some upstreams start an answer twice.
   *
   * @param namedTier the service tier that the answer's beginning names; absent: none that is known.
   */
  start(responseId: string, model: string, namedTier?: ServedTier): void;
  text(piece: string, block?: number): void;
  refusal(piece: string, block?: number): void;
  /** @param isSummary whether the provider sends a summary instead of the reasoning itself. */
  reasoning(piece: string, block?: number, isSummary?: boolean): void;
  /** Signs the reasoning, text or call that is open, or makes an empty reasoning item. */
  opaque(opaque: Opaque, block?: number): void;
  toolCall(head: CallHead): void;
  args(piece: string): void;
  citation(citation: Citation): void;
  media(part: MediaPart): void;
  logprobs(tokens: readonly TokenLogprob[]): void;
  /**
   * Adds an item that only the provider's format has, for clients to send back unread.
   *
   * @param told.outcome what the provider's tool did; absent: other formats have no words for it.
   * @param told.written what the model wrote for the tool, which is paid for as all that it writes.
   */
  hosted(
    issuer: Issuer,
    item: JsonObject,
    told?: { readonly outcome?: HostedOutcome | undefined; readonly written?: string },
  ): void;
  /** Tells what the provider's tool did where no item of its own says so. */
  outcome(outcome: HostedOutcome): void;
  endItem(): void;
  /**
   * Notes a usage report, as soon as it comes.
   *
   * @param tier the service tier that the answer names; absent: none that is known.
   * @param namedTier the same as clients are told it, where that is more than the charge depends on.
   */
  report(report: ReadUsage, tier?: ServedTier, namedTier?: ServedTier): void;
  /** Notes how many web searches the answer tells so far, beside its usage. */
  searched(count: number): void;
  /** Emits what the reports of the whole answer say. The last one may be given with it. */
  usage(report?: ReadUsage, tier?: ServedTier, namedTier?: ServedTier): void;
  /** Returns what was reported so far. */
  reported(): ReadUsage;
  finish(finish: Finish): void;
  /** Emits what was reported until then, if anything was, and the fault. */
  fault(fault: UpstreamFault): void;
  /** Whether a tool was called so far. */
  calledTool(): boolean;
  /** Whether any text came so far. */
  hasText(): boolean;
  hasEnded(): boolean;
};

/** The item that is being received. */
type Open = {
  readonly slot: number;
  readonly head: ItemHead;
  readonly block: number | undefined;
  text: string;
  refusal: string;
  isSummary: boolean;
  opaque: Opaque | null;
  outcome: HostedOutcome | undefined;
  readonly citations: Citation[];
  readonly media: MediaPart[];
};

type Making = {
  made: CanonicalEvent[];
  open: Open | null;
  slots: number;
  started: boolean;
  ended: boolean;
  called: boolean;
  spoken: boolean;
  reports: UsageReports | undefined;
  tier: ServedTier;
  namedTier: ServedTier;
  searches: number;
  /** Whether the reports were emitted. */
  summedUp: boolean;
  hasOutput: boolean;
  /** Whether output came after the last report that counted it. */
  outdated: boolean;
};

/**
 * The longest id of an answer, and name of a model, that is kept: clients get both with each event,
 * so that a long one would come thousands of times. Real ones have at most a hundred characters.
 */
const nameLengthMax = 512;

const kept = (name: string): string => (name.length > nameLengthMax ? "" : name);

export function openAnswerEvents(): AnswerEvents {
  const making: Making = {
    made: [],
    open: null,
    slots: 0,
    started: false,
    ended: false,
    called: false,
    spoken: false,
    reports: undefined,
    tier: "",
    namedTier: "",
    searches: 0,
    summedUp: false,
    hasOutput: false,
    outdated: false,
  };
  return {
    take() {
      const { made } = making;
      making.made = [];
      return made;
    },
    start(id, model, namedTier = "") {
      const named = namedTier === "" ? {} : { namedTier };
      const names = { responseId: kept(id), model: kept(model) };
      if (!making.started) emit(making, { type: "start", ...names, ...named });
      making.started = true;
    },
    ...openPieces(making),
    ...openCallPieces(making),
    endItem: () => endItem(making),
    report: (report, tier, namedTier) => note(making, report, tier, namedTier),
    searched(count) {
      making.searches = Math.max(making.searches, count);
    },
    usage(report = { kind: "missing" }, tier = "", namedTier = tier) {
      note(making, report, tier, namedTier);
      sumUpReports(making, true);
    },
    reported: () => making.reports?.best ?? noReport,
    finish: (finish) => end(making, { type: "finish", finish }),
    fault(fault) {
      endItem(making);
      if (making.reports !== undefined) sumUpReports(making, false);
      end(making, { type: "fault", fault });
    },
    calledTool: () => making.called,
    hasText: () => making.spoken,
    hasEnded: () => making.ended,
  };
}

const noReport: ReadUsage = { kind: "missing" };

function note(
  making: Making,
  report: ReadUsage,
  tier: ServedTier = "",
  namedTier: ServedTier = tier,
): void {
  if (report.kind !== "missing") making.reports = addReport(making.reports, report);
  if (tellsOutput(report)) making.outdated = false;
  if (tier !== "") making.tier = tier;
  if (namedTier !== "") making.namedTier = namedTier;
}

function sumUpReports(making: Making, hasEnded: boolean): void {
  const { namedTier, reports, searches, summedUp, tier } = making;
  if (summedUp) return;
  making.summedUp = true;
  const { hasOutput, outdated: isOutdated } = making;
  const report = sumUp(reports, { hasOutput, isOutdated, isOver: hasEnded });
  const named = namedTier === tier ? {} : { namedTier };
  const searched = searches === 0 ? {} : { searches };
  emit(making, { type: "usage", usage: countsOf(report), report, tier, ...named, ...searched });
}

/**
 * Returns the counts of a report that clients are told; null: it has none to be believed, or not that
 * of the prompt. What the gateway counts itself takes their place.
 */
function countsOf(report: ReadUsage): Usage | null {
  if (report.kind === "program") return noUsage;
  return report.kind === "ok" && report.untold !== "prompt" ? report.usage : null;
}

/** The pieces of messages and of reasoning. */
function openPieces(
  making: Making,
): Pick<
  AnswerEvents,
  | "citation"
  | "hosted"
  | "logprobs"
  | "media"
  | "opaque"
  | "outcome"
  | "reasoning"
  | "refusal"
  | "text"
> {
  return {
    text(piece, block) {
      if (piece === "") return;
      const item = ensure(making, "message", block);
      item.text += piece;
      making.spoken = true;
      emit(making, { type: "text", slot: item.slot, text: piece });
    },
    refusal(piece, block) {
      if (piece === "") return;
      const item = ensure(making, "message", block);
      item.refusal += piece;
      emit(making, { type: "refusal", slot: item.slot, text: piece });
    },
    reasoning(piece, block, isSummary = false) {
      if (piece === "") return;
      const item = ensure(making, "reasoning", block);
      item.text += piece;
      item.isSummary = isSummary;
      emit(making, { type: "reasoning", slot: item.slot, text: piece });
    },
    opaque(opaque, block) {
      const { open } = making;
      const fits = open !== null && (block ?? open.block) === open.block;
      const signed = fits ? open : begin(making, { type: "reasoning" }, block);
      // A provider may send a signature in pieces.
      const value = (signed.opaque?.value ?? "") + opaque.value;
      signed.opaque = { ...opaque, value };
    },
    citation(citation) {
      const item = ensure(making, "message", undefined);
      item.citations.push(citation);
      emit(making, { type: "citation", slot: item.slot, citation });
    },
    media(part) {
      const item = ensure(making, "message", undefined);
      item.media.push(part);
      emit(making, { type: "media", slot: item.slot, part });
    },
    logprobs(tokens) {
      if (tokens.length === 0) return;
      emit(making, { type: "logprobs", slot: making.open?.slot ?? making.slots, tokens });
    },
    outcome(outcome) {
      begin(making, { type: "reasoning" }, undefined).outcome = outcome;
      endItem(making);
    },
    hosted(issuer, item, { outcome, written = "" } = {}) {
      if (written !== "") emit(making, { type: "unsent", text: written });
      const open = begin(making, { type: "reasoning" }, undefined);
      open.outcome = outcome;
      open.opaque = { issuer, kind: "item", value: sealItem(item), id: "" };
      endItem(making);
    },
  };
}

/** The pieces of tool calls. */
function openCallPieces(making: Making): Pick<AnswerEvents, "args" | "toolCall"> {
  return {
    toolCall({ callId, name, form = "json", opaque = null }) {
      making.called = true;
      const head = { type: "tool-call", callId, name, form, opaque } as const;
      begin(making, head, undefined).opaque = opaque;
    },
    args(piece) {
      const { open } = making;
      if (piece === "" || open?.head.type !== "tool-call") return;
      open.text += piece;
      emit(making, { type: "arguments", slot: open.slot, text: piece });
    },
  };
}

function emit(making: Making, event: CanonicalEvent): void {
  if (making.ended) return;
  if (isOutput(event)) {
    making.hasOutput = true;
    making.outdated = true;
  }
  making.made.push(event);
}

function isOutput({ type }: CanonicalEvent): boolean {
  return type === "arguments" || type === "reasoning" || type === "refusal" || type === "text";
}

function end(making: Making, event: CanonicalEvent): void {
  endItem(making);
  emit(making, event);
  making.ended = true;
}

function endItem(making: Making): void {
  const { open } = making;
  if (open === null) return;
  emit(making, { type: "item-end", slot: open.slot, item: itemOf(open) });
  making.open = null;
}

function begin(making: Making, head: ItemHead, block: number | undefined): Open {
  endItem(making);
  const slot = making.slots;
  making.slots += 1;
  const open: Open = {
    slot,
    head,
    block,
    text: "",
    refusal: "",
    isSummary: false,
    opaque: null,
    outcome: undefined,
    citations: [],
    media: [],
  };
  making.open = open;
  emit(making, { type: "item-start", slot, item: head });
  return open;
}

/** Returns the open item if it is of this kind and block, or else begins one. */
function ensure(making: Making, type: "message" | "reasoning", block: number | undefined): Open {
  const { open } = making;
  const fits = open?.head.type === type && (block ?? open.block) === open.block;
  return fits ? open : begin(making, { type }, block);
}

function itemOf({ head, text, refusal, opaque, citations, media, ...open }: Open): OutputItem {
  if (head.type === "tool-call") {
    const { callId, name, form } = head;
    // A call without arguments may have no piece at all.
    const argsText = text === "" && form === "json" ? "{}" : text;
    return { type: "tool-call", callId, name, form, argsText, opaque, cache: null };
  }
  if (head.type === "reasoning") {
    const { isSummary, outcome } = open;
    const told = outcome === undefined ? {} : { outcome };
    return { type: "reasoning", text, opaque, isSummary, ...told };
  }
  const parts: Part[] = [];
  if (text !== "" || citations.length > 0 || opaque !== null) {
    parts.push({ type: "text", text, citations, cache: null, opaque });
  }
  if (refusal !== "") parts.push({ type: "refusal", text: refusal });
  return { type: "message", role: "assistant", parts: [...parts, ...media] };
}
