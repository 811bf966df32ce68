/**
 * Reads and writes forms (multipart/form-data, RFC 7578). A form is read strictly and written anew,
 * so that whoever gets it reads the same fields that were checked here.
 */

export type FormPart = {
  readonly name: string;
  /** Null: the part is a field, and no file. */
  readonly fileName: string | null;
  /** Empty: the part names none. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** The most parts of a form. */
const partsMax = 64;
/** The longest head of a part, in bytes. */
const headBytesMax = 2_048;
/** The longest boundary, in characters (RFC 2046). */
const boundaryLengthMax = 70;

/** Returns the boundary of a form; undefined: the content type is another, or names none. */
export function formBoundary(contentType: string | null): string | undefined {
  const text = contentType ?? "";
  if (!/^multipart\/form-data\s*;/i.test(text)) return undefined;
  const found = /;\s*boundary=(?:"([^"\r\n]+)"|([^\s;",]+))/i.exec(text);
  const boundary = found?.[1] ?? found?.[2];
  return boundary === undefined || boundary.length > boundaryLengthMax ? undefined : boundary;
}

/** Returns the parts of a form as views of its bytes; a text says what is wrong with it. */
export function readForm(bytes: Buffer, boundary: string): readonly FormPart[] | string {
  const mark = Buffer.from(`--${boundary}`, "latin1");
  const between = Buffer.concat([Buffer.from("\r\n"), mark]);
  if (!bytes.subarray(0, mark.length).equals(mark)) {
    return "the form does not begin with its boundary";
  }
  const parts: FormPart[] = [];
  let at = mark.length;
  while (!isEnd(bytes, at)) {
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) return "a boundary of the form is malformed";
    const head = bytes.indexOf("\r\n\r\n", at);
    if (head < 0 || head - at > headBytesMax) return "a part of the form has no valid head";
    const start = head + 4;
    const end = bytes.indexOf(between, head + 2);
    if (end < 0) return "the form breaks off";
    const part = partOf(
      bytes.toString("utf8", at + 2, head),
      bytes.subarray(start, Math.max(start, end)),
    );
    if (typeof part === "string") return part;
    parts.push(part);
    if (parts.length > partsMax) return `the form has more than ${partsMax} parts`;
    at = end + between.length;
  }
  return parts;
}

/** Whether the boundary that ends here is the last. */
function isEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x2d && bytes[at + 1] === 0x2d;
}

function partOf(head: string, bytes: Uint8Array): FormPart | string {
  let disposition = "";
  let mediaType = "";
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 1) return "a part of the form has a malformed head";
    if (name === "content-disposition") {
      if (disposition !== "") return "a part of the form has two names";
      disposition = value;
    } else if (name === "content-type") mediaType = value;
    else if (name === "content-transfer-encoding" && !/^(?:binary|8bit|7bit)$/i.test(value)) {
      return "a part of the form has a transfer encoding that is not supported";
    }
  }
  const name = parameterOf(disposition, "name");
  if (!/^form-data\s*;/i.test(disposition) || name === undefined || name === "") {
    return "a part of the form has no name";
  }
  return { name, fileName: parameterOf(disposition, "filename") ?? null, mediaType, bytes };
}

/** Returns a parameter of a header value, without its quotes. */
function parameterOf(value: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s"]+))`, "i").exec(value);
  return found === null ? undefined : (found[1]?.replaceAll(/\\(["\\])/g, "$1") ?? found[2] ?? "");
}

/** A form to be sent: its content type, and its bytes in pieces of which files are not copied. */
export type WrittenForm = {
  readonly contentType: string;
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
};

/**
 * Writes a form.
 *
 * @param boundary a text of letters and digits that none of the values contains.
 */
export function writeForm(parts: readonly FormPart[], boundary: string): WrittenForm {
  const pieces: Uint8Array[] = [];
  let lead = "";
  for (const { name, fileName, mediaType, bytes } of parts) {
    const file = fileName === null ? "" : `; filename="${quoted(fileName)}"`;
    const type = fileName === null ? "" : `content-type: ${typeOf(mediaType)}\r\n`;
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`;
    pieces.push(Buffer.from(lead + head), bytes);
    lead = "\r\n";
  }
  pieces.push(Buffer.from(`${lead}--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    pieces,
    length: pieces.reduce((sum, piece) => sum + piece.length, 0),
  };
}

/** Writes a name as browsers do (HTML, "multipart/form-data"). */
function quoted(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Returns a file's media type as it may stand in a header. */
export function typeOf(mediaType: string): string {
  return /^[\w.+-]+\/[\w.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(mediaType)
    ? mediaType
    : "application/octet-stream";
}
