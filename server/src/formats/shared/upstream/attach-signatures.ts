import type { Issuer, Item } from "#canonical/request.ts";

/**
 * Puts signatures back on the calls and texts that they sign. Clients of other formats keep them in
 * a place of their own.
 */
export function attachSignatures(items: readonly Item[], issuer: Issuer): readonly Item[] {
  const kept: (Item | null)[] = [...items];
  for (const [at, item] of items.entries()) {
    if (item.type !== "reasoning" || item.text !== "" || item.opaque?.issuer !== issuer) {
      continue;
    }
    const { opaque } = item;
    const around = opaque.id === "call" ? [at + 1, at + 2] : [at - 1, at + 1];
    for (const place of around) {
      const signed = kept[place];
      if (opaque.id === "call" && signed?.type === "tool-call" && signed.opaque === null) {
        kept[place] = { ...signed, opaque };
        kept[at] = null;
        break;
      }
      if (opaque.id === "text" && signed?.type === "message" && signed.role === "assistant") {
        const last = signed.parts.findLastIndex((part) => part.type === "text");
        const parts = signed.parts.map((part, index) =>
          index === last && part.type === "text" ? { ...part, opaque } : part,
        );
        kept[place] = { ...signed, parts };
        kept[at] = null;
        break;
      }
    }
  }
  return kept.filter((item) => item !== null);
}
