/**
 * Reads the body of a call that may be a form with files. The form's fields become a small JSON
 * body, which the stages read like any other; its files stay views of the bytes that came.
 */

import type { Upload } from "#relay/call/facts.ts";
import { type FormPart, typeOf, type WrittenForm, writeForm } from "./multipart.ts";
import { HeldBytes, type Memory } from "#base/memory/byte-budget.ts";
import { freeBytes } from "#base/free-bytes.ts";
import { randomText } from "#base/secrets.ts";
import type { FormFile } from "#formats/format.ts";
import type { ClientRequest } from "#http/client-request.ts";
import {
  bodyUnreadable,
  tooMuchUnfinished,
  tooMuchUnfinishedByUser,
} from "#relay/call/refusals.ts";
import { cleaners } from "#relay/cleaners.ts";
import { bytesOf } from "./read-body.ts";

/** The largest form, in bytes: OpenAI takes sound up to 25 MB. A larger body limit counts instead. */
const formBytesMax = 32 * 1024 * 1024;

/** Whether the request is a form. */
export function isForm(request: ClientRequest): boolean {
  return cleaners.formBoundary(request.headers.get("content-type")) !== undefined;
}

/**
 * Reads a form. Its memory stays held until `endUpload`, because its files are sent from it.
 *
 * @throws CallRefusal 400, 408, 413, 429 or 503, as a rejection.
 */
export async function readUpload(
  memory: Memory,
  request: ClientRequest,
  bodyBytesMax: number,
): Promise<{ readonly bytes: Uint8Array; readonly upload: Upload }> {
  const { budget, owner } = memory;
  const bytesMax = Math.max(bodyBytesMax, formBytesMax);
  const boundary = cleaners.formBoundary(request.headers.get("content-type")) ?? "";
  const whole = bytesOf(await request.readBody(bytesMax, budget, owner), bytesMax);
  const held = new HeldBytes(memory);
  const shortage = held.hold(whole.length);
  if (shortage !== null) {
    throw shortage === "owner" ? tooMuchUnfinishedByUser() : tooMuchUnfinished();
  }
  try {
    const parts = cleaners.readForm(whole, boundary);
    if (typeof parts === "string") throw bodyUnreadable(parts);
    return { bytes: fieldsOf(parts), upload: { files: parts.flatMap(fileOf), whole, held } };
  } catch (error) {
    held.free();
    throw error;
  }
}

/** Gives the memory of a form back, whose call has ended, so that nobody reads it any more. */
export function endUpload(upload: Upload | null): void {
  if (upload === null) return;
  upload.held.free();
  // Smaller ones may share their memory with the client's next request.
  if (upload.whole.length >= freedBytesMin) freeBytes(upload.whole);
}

/** A body of this size has memory of its own. */
const freedBytesMin = 1024 * 1024;

function fileOf({ name, fileName, mediaType, bytes }: FormPart): FormFile[] {
  return fileName === null ? [] : [{ name, fileName, mediaType, bytes }];
}

/** The largest field that is no file, in bytes. */
const fieldBytesMax = 256 * 1024;

/** Makes the JSON object of the fields that are no files; a repeated one becomes a list. */
function fieldsOf(parts: readonly FormPart[]): Uint8Array {
  const fields = new Map<string, string[]>();
  for (const { name, fileName, bytes } of parts) {
    if (fileName !== null) continue;
    if (bytes.length > fieldBytesMax) {
      throw bodyUnreadable(`field ${name.slice(0, 40)} is too long`);
    }
    const values = fields.get(name) ?? [];
    values.push(Buffer.from(bytes).toString("utf8"));
    fields.set(name, values);
  }
  const body = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  return new TextEncoder().encode(JSON.stringify(body));
}

/** Writes the form for an upstream from the JSON body of its fields and the files of the client. */
export function writeUpload(body: Uint8Array, { files }: Upload): WrittenForm {
  // Safe cast: the stages have checked that the bytes are one JSON object.
  const fields = JSON.parse(new TextDecoder().decode(body)) as Readonly<Record<string, unknown>>;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): FormPart => {
      const text = typeof each === "string" ? each : JSON.stringify(each);
      return { name, fileName: null, mediaType: "", bytes: Buffer.from(text) };
    }),
  );
  return writeForm([...parts, ...files], `tollgate${randomText(boundaryLength)}`);
}

/** Writes the only file of a form as a body of its own. */
export function fileAlone({ files }: Upload): WrittenForm {
  const [file] = files;
  const pieces = file === undefined ? [] : [file.bytes];
  return { contentType: typeOf(file?.mediaType ?? ""), pieces, length: file?.bytes.length ?? 0 };
}

/** So long that no client guesses it, and none can end a part early. */
const boundaryLength = 32;
