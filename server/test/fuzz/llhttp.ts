/**
 * llhttp, the HTTP parser of Node.js, as an independent judge of requests and answers. The package `undici` has
 * it as WebAssembly; nothing else of that package is used.
 */

import { createRequire } from "node:module";

/** What llhttp made of a connection's bytes. */
type Judgement = {
  /** Requests, or answers. */
  readonly requests: readonly JudgedRequest[];
  /** Name of the error at which it stopped, such as `INVALID_URL`; empty: none. */
  readonly error: string;
};

export type JudgedRequest = {
  /** The method of a request. */
  method: string;
  /** The status of an answer; 0: it is a request. */
  status: number;
  url: string;
  /** Names in lower case and values, without the blanks around them. */
  readonly fields: [name: string, value: string][];
  body: string;
  keepsAlive: boolean;
  /** Whether the end of the body was reached. */
  isWhole: boolean;
};

const ok = 0;
const pausedForUpgrade = 22;
const requestType = 1;
const answerType = 2;

type Exports = {
  readonly memory: WebAssembly.Memory;
  malloc(size: number): number;
  llhttp_alloc(type: number): number;
  llhttp_reset(parser: number): void;
  llhttp_execute(parser: number, at: number, length: number): number;
  llhttp_resume_after_upgrade(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
  llhttp_errno_name(error: number): number;
  llhttp_get_method(parser: number): number;
  llhttp_method_name(method: number): number;
};

/** The longest input, in bytes. */
const inputBytesMax = 1024 * 1024;

let running: JudgedRequest[] = [];

function latin1(at: number, length: number): string {
  return Buffer.from(llhttp.memory.buffer, at, length).toString("latin1");
}

function cText(at: number): string {
  const bytes = new Uint8Array(llhttp.memory.buffer, at);
  return latin1(at, bytes.indexOf(0));
}

function change(apply: (request: JudgedRequest) => void): number {
  const request = running.at(-1);
  if (request !== undefined) apply(request);
  return ok;
}

/** Whether the last piece was of a name; llhttp may give a name or value in several pieces. */
let isName = false;

const callbacks = {
  wasm_on_message_begin() {
    const empty = { method: "", status: 0, url: "", body: "", keepsAlive: false, isWhole: false };
    running.push({ ...empty, fields: [] });
    isName = false;
    return ok;
  },
  wasm_on_url: (_: number, at: number, length: number) =>
    change((request) => (request.url += latin1(at, length))),
  wasm_on_header_field: (_: number, at: number, length: number) =>
    change(({ fields }) => {
      const field = fields.at(-1);
      if (isName && field !== undefined) field[0] += latin1(at, length);
      else fields.push([latin1(at, length), ""]);
      isName = true;
    }),
  wasm_on_header_value: (_: number, at: number, length: number) =>
    change(({ fields }) => {
      const field = fields.at(-1);
      if (field !== undefined) field[1] += latin1(at, length);
      isName = false;
    }),
  wasm_on_headers_complete: (
    parser: number,
    status: number,
    _upgrade: number,
    keepsAlive: number,
  ) =>
    change((request) => {
      request.keepsAlive = keepsAlive === 1;
      request.status = status;
      if (status > 0) return;
      request.method = cText(llhttp.llhttp_method_name(llhttp.llhttp_get_method(parser)));
    }),
  wasm_on_body: (_: number, at: number, length: number) =>
    change((request) => (request.body += latin1(at, length))),
  wasm_on_message_complete: () => change((request) => (request.isWhole = true)),
  wasm_on_status: () => ok,
};

function load(): Exports {
  const bytes: unknown = createRequire(import.meta.url)("undici/lib/llhttp/llhttp-wasm.js");
  if (!(bytes instanceof Uint8Array)) throw new Error("undici has no llhttp");
  const made = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), {
    env: callbacks,
  });
  // These are the names that the file exports; a test fails on the first call if one is missing.
  return made.exports as unknown as Exports;
}

const llhttp = load();
const requestParser = llhttp.llhttp_alloc(requestType);
const answerParser = llhttp.llhttp_alloc(answerType);
const input = llhttp.malloc(inputBytesMax);

/** Has llhttp read the bytes of a client's connection, as strictly as it can. */
export function judge(bytes: Buffer): Judgement {
  return judgeWith(requestParser, bytes);
}

/** Has llhttp read the bytes that a server sent on a connection, interim heads included. */
export function judgeAnswers(bytes: Buffer): Judgement {
  return judgeWith(answerParser, bytes);
}

function judgeWith(parser: number, bytes: Buffer): Judgement {
  if (bytes.length > inputBytesMax) throw new Error("the input is too long");
  const requests: JudgedRequest[] = [];
  running = requests;
  llhttp.llhttp_reset(parser);
  new Uint8Array(llhttp.memory.buffer, input, bytes.length).set(bytes);
  let error = ok;
  for (let at = 0; ;) {
    error = llhttp.llhttp_execute(parser, input + at, bytes.length - at);
    // llhttp stops at every upgrade that is asked for. A server that ignores it goes on.
    if (error !== pausedForUpgrade) break;
    at = llhttp.llhttp_get_error_pos(parser) - input;
    llhttp.llhttp_resume_after_upgrade(parser);
  }
  for (const { fields } of requests) {
    for (const field of fields) {
      field[0] = field[0].toLowerCase();
      field[1] = field[1].replace(/^[\t ]+|[\t ]+$/g, "");
    }
  }
  return {
    requests,
    error: error === ok ? "" : cText(llhttp.llhttp_errno_name(error)).replace("HPE_", ""),
  };
}
