import type { JsonObject } from "#base/json.ts";
import type { OutputItem } from "#canonical/event.ts";
import type { TextPart } from "#canonical/request.ts";

/** Returns what was searched for, as far as an item tells. */
export function queriesIn(item: OutputItem): readonly string[] {
  const isSearch = item.type === "reasoning" && item.outcome?.type === "web-search";
  return isSearch ? item.outcome.queries : [];
}

/** Returns the texts of an item, whose sources stand with them. */
export function textsIn(item: OutputItem): readonly TextPart[] {
  if (item.type !== "message") return [];
  return item.parts.flatMap((part) => (part.type === "text" ? [part] : []));
}

/**
 * Writes the sources of an answer, and which part of its text each supports, as the fields of a
 * candidate; none without sources and searches. Google counts the bytes of UTF-8 of the whole answer, everybody
 * else the code points of a message.
 */
export function writeGrounding(texts: readonly TextPart[], queries: readonly string[]): JsonObject {
  const groundingChunks: JsonObject[] = [];
  const groundingSupports: JsonObject[] = [];
  let before = 0;
  for (const { text, citations } of texts) {
    const points = new Set(citations.flatMap(({ start, end }) => [start ?? 0, end ?? 0]));
    const offsets = offsetsOf(text, points);
    for (const { url, title, start, end } of citations) {
      const index = groundingChunks.push({ web: { uri: url, title } }) - 1;
      const [from, to] = [offsets.get(start ?? 0), offsets.get(end ?? 0)];
      if (start === null || end === null || from === undefined || to === undefined) continue;
      const segment = {
        startIndex: before + from.bytes,
        endIndex: before + to.bytes,
        text: text.slice(from.units, to.units),
      };
      groundingSupports.push({ segment, groundingChunkIndices: [index] });
    }
    before += Buffer.byteLength(text);
  }
  const searched = queries.length === 0 ? {} : { webSearchQueries: queries };
  const chunks = groundingChunks.length === 0 ? {} : { groundingChunks };
  const supports = groundingSupports.length === 0 ? {} : { groundingSupports };
  const groundingMetadata = { ...searched, ...chunks, ...supports };
  return Object.keys(groundingMetadata).length === 0 ? {} : { groundingMetadata };
}

type Offset = { readonly bytes: number; readonly units: number };

/** Returns where these code points begin, as far as the text goes. */
function offsetsOf(text: string, points: ReadonlySet<number>): ReadonlyMap<number, Offset> {
  const found = new Map<number, Offset>();
  if (points.size === 0) return found;
  let [point, bytes, units] = [0, 0, 0];
  for (const character of text) {
    if (points.has(point)) found.set(point, { bytes, units });
    point += 1;
    bytes += Buffer.byteLength(character);
    units += character.length;
  }
  if (points.has(point)) found.set(point, { bytes, units });
  return found;
}
