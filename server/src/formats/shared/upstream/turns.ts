import type { Item, MessageItem, Part, ToolResultItem } from "#canonical/request.ts";
import { isOfModel } from "#formats/shared/pair-tools.ts";

/** Items that formats of messages write together. */
type Turn =
  /** What the model said and called before somebody answered. */
  | { readonly kind: "model"; readonly items: readonly Item[] }
  | { readonly kind: "results"; readonly items: readonly ToolResultItem[] }
  /** A message with the role `user`, `developer` or `system`. */
  | { readonly kind: "message"; readonly item: MessageItem };

/**
 * Groups a conversation into turns.
 *
 * @param lose is told the kind of each hosted item that is no turn of the model.
 */
export function turnsOf(items: readonly Item[], lose: (kind: string) => void): readonly Turn[] {
  const turns: Turn[] = [];
  let model: Item[] = [];
  let results: ToolResultItem[] = [];
  for (const item of items) {
    if (item.type === "tool-result") {
      if (results.length === 0) turns.push({ kind: "results", items: results });
      results.push(item);
      model = [];
      continue;
    }
    results = [];
    if (isOfModel(item)) {
      if (model.length === 0) turns.push({ kind: "model", items: model });
      model.push(item);
      continue;
    }
    model = [];
    if (item.type === "message") turns.push({ kind: "message", item });
    else if (item.type === "hosted") lose(item.kind);
  }
  return turns;
}

/** Returns the text of parts; media are left out. */
export function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "media" ? "" : part.text)).join("");
}

/** Returns the text of a tool's result. A failure without a text says that it is one. */
export function resultText({ parts, failed }: ToolResultItem): string {
  const text = partsText(parts);
  return failed && text === "" ? "error" : text;
}
