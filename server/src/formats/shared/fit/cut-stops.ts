import type { CanonicalEvent, OutputItem } from "#canonical/event.ts";
import type { Citation } from "#canonical/request.ts";
import { openStopSearches, type StopSearch } from "./stop-search.ts";

type Cutting = {
  /** Searches the open message; null: no message is open. */
  search: StopSearch | null;
  /** The text of the open message that was passed on, and its sources. */
  text: string;
  citations: Citation[];
  /** The sequence at which the answer was cut; empty: none. */
  found: string;
};

/**
 * Ends answers at stop sequences that the upstream's format cannot carry. What the upstream writes
 * behind one is paid for and counted, but not passed on.
 */
export function openStopCutter(
  sequences: readonly string[],
): (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[] {
  const wanted = sequences.filter((sequence) => sequence !== "");
  if (wanted.length === 0) return (events) => events;
  const open = openStopSearches(wanted);
  const cutting: Cutting = { search: null, text: "", citations: [], found: "" };
  return (events) => events.flatMap((event) => cut(cutting, open, event));
}

function cut(
  cutting: Cutting,
  open: () => StopSearch,
  event: CanonicalEvent,
): readonly CanonicalEvent[] {
  if (cutting.found !== "") return afterCut(cutting, event);
  switch (event.type) {
    case "item-start":
      cutting.search = event.item.type === "message" ? open() : null;
      cutting.text = "";
      cutting.citations = [];
      return [event];
    case "citation":
      cutting.citations.push(event.citation);
      return [event];
    case "text":
      return cutText(cutting, event);
    case "item-end":
      return event.item.type === "message" ? endMessage(cutting, event) : [event];
    default:
      return [event];
  }
}

function cutText(
  cutting: Cutting,
  event: Extract<CanonicalEvent, { type: "text" }>,
): readonly CanonicalEvent[] {
  const { search } = cutting;
  if (search === null) return [event];
  const text = search.push(event.text);
  cutting.text += text;
  const passed = text === "" ? [] : [{ ...event, text }];
  if (search.found === "") return passed;
  cutting.found = search.found;
  const { slot } = event;
  const unsent = { type: "unsent", text: event.text.slice(text.length) } as const;
  return [...passed, { type: "item-end", slot, item: cutMessage(cutting) }, unsent];
}

/** Ends a message without a sequence: what was kept back as its beginning is text after all. */
function endMessage(
  { search }: Cutting,
  event: Extract<CanonicalEvent, { type: "item-end" }>,
): readonly CanonicalEvent[] {
  const text = search?.end() ?? "";
  return text === "" ? [event] : [{ type: "text", slot: event.slot, text }, event];
}

function cutMessage({ text, citations }: Cutting): OutputItem {
  const part = { type: "text", text, citations, cache: null, opaque: null } as const;
  return { type: "message", role: "assistant", parts: text === "" ? [] : [part] };
}

/** What comes behind the sequence: its text is only counted, and the end is the sequence's. */
function afterCut({ found }: Cutting, event: CanonicalEvent): readonly CanonicalEvent[] {
  switch (event.type) {
    case "text":
    case "refusal":
    case "reasoning":
    case "arguments":
      return [{ type: "unsent", text: event.text }];
    case "finish":
      return [finishAt(found, event.finish.raw)];
    // What the client gets is complete.
    case "fault":
      return [finishAt(found, event.fault.code)];
    case "usage":
      return [event];
    default:
      return [];
  }
}

function finishAt(stopSequence: string, raw: string): CanonicalEvent {
  return { type: "finish", finish: { reason: "stop-sequence", raw, stopSequence } };
}
