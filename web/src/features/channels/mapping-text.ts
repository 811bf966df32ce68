import { z } from "zod";
import { type Pair, pairsOfObject } from "#ui/editor/pairs.ts";

/** The rows of a mapping's JSON text; null: it is none, and only the text can show it. */
export function pairsOfText(text: string): readonly Pair[] | null {
  if (text.trim() === "") return [];
  try {
    const object = z.record(z.string(), z.union([z.string(), z.number()]));
    const parsed = object.safeParse(JSON.parse(text));
    return parsed.success ? pairsOfObject(parsed.data) : null;
  } catch {
    return null;
  }
}
