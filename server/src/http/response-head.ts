/** Writes the heads of responses as text. */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { STATUS_CODES } from "node:http";
import type { ResponseHead, SharedHeaders } from "./client-request.ts";

/**
 * Checks and writes header fields that many responses have, once for all of them. A call is left
 * with joining texts.
 */
export function shareHeaders(headers: Readonly<Record<string, string>>): SharedHeaders {
  return { headers, text: fieldLines(headers) };
}

/**
 * Returns the text of a response's head.
 *
 * @param framing the field that says where the body ends, with its line end; empty: none.
 * @param connection the fields that say whether the connection ends, with their line ends.
 */
export function headText(
  { cost, headers, requestId, shared, status }: ResponseHead,
  framing: string,
  connection: string,
): string {
  const sharedText = shared === undefined ? "" : shared.text;
  // Ids are made by this program of letters and digits, so they are not checked.
  const ids =
    requestId === undefined
      ? ""
      : `x-request-id: ${requestId}\r\nx-oneapi-request-id: ${requestId}\r\n`;
  const own = headers === undefined ? "" : fieldLines(headers);
  const price = cost === undefined ? "" : costField(cost);
  return `${statusLine(status)}${sharedText}${ids}${price}${own}${dateField()}${connection}${framing}\r\n`;
}

/** The fields of the costs that were told last: calls of one model often cost the same. */
const costFields = new Map<number, string>();

/** The largest number of costs whose fields are kept. */
const costFieldsMax = 1_000;

/** How exactly a cost is told: a quota unit is some millionths of a dollar. */
const costDecimals = 9;

/** Writes a cost in dollars as decimal digits without an exponent, such as `0.000162`. */
function costField(cost: number): string {
  const known = costFields.get(cost);
  if (known !== undefined) return known;
  if (costFields.size >= costFieldsMax) costFields.clear();
  const text = trimEndOf(trimEndOf(cost.toFixed(costDecimals), "0"), ".");
  const field = `x-tollgate-cost: ${text}\r\n`;
  costFields.set(cost, field);
  return field;
}

function fieldLines(headers: Readonly<Record<string, string | readonly string[]>>): string {
  let lines = "";
  for (const name in headers) {
    const value = headers[name] ?? [];
    if (typeof value === "string") lines += fieldLine(name, value);
    else for (const one of value) lines += fieldLine(name, one);
  }
  return lines;
}

/**
 * Characters that a header value may not have, such as line ends. Values come from this program or
 * the platform, so one of these is a bug.
 */
const oddValue = /[^\t\x20-\x7e\x80-\xff]/;

function fieldLine(name: string, value: string): string {
  if (oddValue.test(value)) throw new Error(`invalid value of field ${name}: ${value}`);
  return `${name}: ${value}\r\n`;
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  const known = statusLines.get(status);
  if (known !== undefined) return known;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  statusLines.set(status, line);
  return line;
}

let dateSecond = 0;
let date = "";

function dateField(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = `date: ${new Date(second * 1_000).toUTCString()}\r\n`;
  }
  return date;
}

/** Returns the response to an invalid or incomplete request, after which the connection ends. */
export function refusalText(status: number): string {
  const text = `${(STATUS_CODES[status] ?? "").toLowerCase()}\n`;
  const headers = { "content-type": "text/plain" };
  const framing = `content-length: ${text.length}\r\n`;
  return headText({ status, headers }, framing, "connection: close\r\n") + text;
}
