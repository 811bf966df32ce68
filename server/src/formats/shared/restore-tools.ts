import type { CanonicalEvent } from "#canonical/event.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import { customText } from "./tool-args.ts";

/**
 * Turns calls of functions that stand for custom tools back into calls of custom tools. Their text
 * is inside the JSON of the arguments, so it is passed on only when the call is complete.
 */
export function openToolRestorer({
  tools,
}: CanonicalRequest): (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[] {
  const names = new Set(tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : [])));
  if (names.size === 0) return (events) => events;
  let restoring = false;
  const restore = (event: CanonicalEvent): readonly CanonicalEvent[] => {
    if (event.type === "item-start" && event.item.type === "tool-call") {
      restoring = event.item.form === "json" && names.has(event.item.name);
      return [restoring ? { ...event, item: { ...event.item, form: "text" } } : event];
    }
    if (!restoring) return [event];
    if (event.type === "arguments") return [];
    if (event.type !== "item-end" || event.item.type !== "tool-call") return [event];
    restoring = false;
    const argsText = customText(event.item.argsText);
    const { slot } = event;
    const item = { ...event.item, argsText, form: "text" } as const;
    return [
      { type: "arguments", slot, text: argsText },
      { type: "item-end", slot, item },
    ];
  };
  return (events) => events.flatMap(restore);
}
