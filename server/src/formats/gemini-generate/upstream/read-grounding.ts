import { readJson } from "#base/json-scan.ts";
import type { JsonObject } from "#base/json.ts";
import type { Citation, HostedOutcome } from "#canonical/request.ts";
import { listOf, numberOf, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";

/**
 * Reads the sources of an answer. Google counts the bytes of UTF-8 in front of what a source
 * supports, everybody else the code points.
 *
 * @param text the answer's text so far.
 */
export function readGrounding(metadata: JsonObject, text: string): readonly Citation[] {
  const sources = sourcesOf(metadata).map((each) => ({ ...each, quote: "" }));
  const supports = listOf(metadata["groundingSupports"]).flatMap((each) => {
    const { segment, groundingChunkIndices } = objectOf(each);
    const { startIndex, endIndex } = objectOf(segment);
    const [start, end] = [numberOf(startIndex) ?? 0, numberOf(endIndex) ?? 0];
    return listOf(groundingChunkIndices).map((index) => ({ source: numberOf(index), start, end }));
  });
  const points = countPoints(text, new Set(supports.flatMap(({ start, end }) => [start, end])));
  const supported = new Set(supports.map(({ source }) => source));
  const citations = supports.flatMap(({ source, start, end }): Citation[] => {
    const cited = source === null ? undefined : sources[source];
    if (cited === undefined) return [];
    return [{ ...cited, start: points.get(start) ?? null, end: points.get(end) ?? null }];
  });
  const others = sources.filter((_, index) => !supported.has(index));
  return [...citations, ...others.map((each) => ({ ...each, start: null, end: null }))].filter(
    ({ url }) => url !== "",
  );
}

function sourcesOf(metadata: JsonObject): readonly { url: string; title: string }[] {
  return listOf(metadata["groundingChunks"]).map((chunk) => {
    const web = objectOf(objectOf(chunk)["web"]);
    return { url: textOf(web["uri"]), title: textOf(web["title"]) };
  });
}

/** Returns what the searches of an answer have found; undefined: it tells of none. */
export function readSearch(metadata: JsonObject): HostedOutcome | undefined {
  const queries = textsOf(metadata["webSearchQueries"]).filter((query) => query !== "");
  if (queries.length === 0) return undefined;
  const sources = sourcesOf(metadata).filter(({ url }) => url !== "");
  return { type: "web-search", queries, sources, failed: false };
}

/** Counts the web searches of an answer: each query once, and empty ones not at all. */
export function countQueries(metadata: JsonObject): number {
  const queries = new Set(listOf(metadata["webSearchQueries"]).map(textOf));
  queries.delete("");
  return queries.size;
}

/** The same from the bytes of the metadata. */
export function scanQueries(bytes: Uint8Array, start: number, end: number): number {
  return countQueries(objectOf(readJson(bytes, { start, end, kind: "object" })));
}

/** Returns how many code points stand in front of each of these bytes, as far as the text goes. */
function countPoints(text: string, offsets: ReadonlySet<number>): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (offsets.size === 0) return found;
  let bytes = 0;
  let points = 0;
  for (const character of text) {
    if (offsets.has(bytes)) found.set(bytes, points);
    bytes += Buffer.byteLength(character);
    points += 1;
  }
  if (offsets.has(bytes)) found.set(bytes, points);
  return found;
}
