/**
 * What translation carries between the formats of clients and upstreams, counted over all recorded
 * requests and answers, as the page `docs/conformance.md`.
 */

import type { JsonObject } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import { writeFitted } from "#formats/shared/fit/fit-request.ts";
import { play } from "#formats/testing/play.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import {
  playedRecordings,
  upstreamOf,
  type TranslatedClientId,
  translatedClientIds,
} from "./played.ts";
import { lostIn } from "./round-trip.ts";

/** Counts of one cell, and how often each thing was lost or refused. */
type Cell = {
  all: number;
  whole: number;
  refused: number;
  readonly named: Map<string, number>;
};

type Table = Map<string, Cell>;

// Safe cast: these are the keys of the object.
const upstreams = Object.keys(translations).toSorted() as TranslatedFormatId[];

export function conformancePage(): string {
  const [answers, requests] = [countAnswers(), countRequests()];
  return `# What translation carries

Counted over the recorded exchanges of \`server/test/fixtures/recordings\` by \`npm run conformance\`; \`npm test\` fails when this page is out of date. When client and upstream speak the same format, the gateway does not translate: the bytes pass through.

## Requests

Each recorded request, parsed in its own format and written in each other one. A cell says how many are carried whole, of how many. The others lose a field that the target has no word for (the answer's header \`X-Tollgate-Losses\` and the log row name it) or are refused with status 400 because the answer would be wrong without it.

${tableOf(requests, "client", translatedClientIds, "upstream", upstreams)}

${lossesOf(requests, translatedClientIds, upstreams, "→")}

## Answers

Each recorded answer, written in each client format as a stream and as a whole, and read back: text, reasoning, tool calls, usage, end, and the rules of the format's streams. A cell says how many a client gets whole. A dash: no answer of the format was recorded; its tests read answers as its documents show them.

${tableOf(answers, "upstream", upstreams, "client", translatedClientIds)}

${lossesOf(answers, upstreams, translatedClientIds, "→")}
`;
}

function countAnswers(): Table {
  const table: Table = new Map();
  for (const { recording, format } of playedRecordings()) {
    const events = play(recording, upstreamOf(format), 1_000_000);
    const answer = foldAnswer(events);
    if (answer.fault !== null) continue;
    for (const client of translatedClientIds) {
      if (client === format) continue;
      const lost = lostIn(events, answer, client);
      count(cellOf(table, format, client), lost, false);
    }
  }
  return table;
}

function countRequests(): Table {
  const table: Table = new Map();
  for (const { recording, format } of playedRecordings()) {
    const body = recording.request?.body;
    if (!isClient(format) || !isObject(body)) continue;
    const { stream } = recording.expected;
    const model = typeof body["model"] === "string" ? body["model"] : "m";
    const parsed = translations[format].client.parseRequest(body, {
      modality: "chat",
      model,
      stream,
    });
    if ("message" in parsed) continue;
    for (const upstream of upstreams) {
      if (upstream === format) continue;
      const request = { ...parsed.request, model, stream };
      const fitting = { upstream: translations[upstream].upstream, quirks: {}, hashOf };
      const written = writeFitted(request, fitting);
      const cell = cellOf(table, format, upstream);
      if ("message" in written) count(cell, [written.param], true);
      else count(cell, [...new Set([...parsed.losses, ...written.losses])], false);
    }
  }
  return table;
}

/** Stands for names of end users that are too long. */
const hashOf = (): string => "0".repeat(64);

function isClient(format: TranslatedFormatId): format is TranslatedClientId {
  return translatedClientIds.some((id) => id === format);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cellOf(table: Table, from: string, to: string): Cell {
  const key = `${from} ${to}`;
  const cell = table.get(key) ?? { all: 0, whole: 0, refused: 0, named: new Map() };
  table.set(key, cell);
  return cell;
}

function count(cell: Cell, names: readonly string[], isRefused: boolean): void {
  cell.all += 1;
  if (names.length === 0) cell.whole += 1;
  if (isRefused) cell.refused += 1;
  for (const name of names) cell.named.set(name, (cell.named.get(name) ?? 0) + 1);
}

function tableOf(
  table: Table,
  rowName: string,
  rows: readonly string[],
  columnName: string,
  columns: readonly string[],
): string {
  const head = `| ${rowName} ↓ ${columnName} → | ${columns.join(" | ")} |`;
  const line = `| --- |${" ---: |".repeat(columns.length)}`;
  const body = rows.map((row) => {
    const cells = columns.map((column) => {
      const cell = table.get(`${row} ${column}`);
      if (cell === undefined) return row === column ? "bytes" : "–";
      const refused = cell.refused === 0 ? "" : `, ${cell.refused} refused`;
      return `${cell.whole} of ${cell.all}${refused}`;
    });
    return `| ${row} | ${cells.join(" | ")} |`;
  });
  return [head, line, ...body].join("\n");
}

/** Lists what each pair of formats does not carry, the most frequent first. */
function lossesOf(
  table: Table,
  from: readonly string[],
  to: readonly string[],
  arrow: string,
): string {
  const lines = from.flatMap((source) =>
    to.flatMap((target) => {
      const named = [...(table.get(`${source} ${target}`)?.named ?? [])];
      if (named.length === 0) return [];
      const sorted = named.toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b, "en"));
      const list = sorted.map(([name, times]) => `${code(name)} ${times}`).join(", ");
      return [`- ${source} ${arrow} ${target}: ${list}`];
    }),
  );
  return lines.length === 0
    ? "Nothing is lost."
    : `What is lost or refused, and how often:\n\n${lines.join("\n")}`;
}

function code(name: string): string {
  return `\`${name === "" ? "(the request)" : name}\``;
}
