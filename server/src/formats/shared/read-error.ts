import type { ErrorBody } from "#formats/format.ts";
import { pauseOf } from "./errors/error-pause.ts";

/** The longest error message kept, in UTF-16 code units. Some upstreams quote the whole request. */
const messageLengthMax = 2_000;

/** The longest error code or type kept. */
const codeLengthMax = 100;

/**
 * Finds the error in a parsed body, in any of the shapes that were seen with an error status or
 * inside a 200:
 *
 *   {error:{message,type,code}}                  most; `code` may be a number (OpenRouter)
 *   {error:"text"}, {code,error:"text"}          Ollama, Hugging Face; xAI
 *   {object:"error",message,type,code}           Mistral, vLLM
 *   {message}, {msg}, {err}, {detail}            Cohere, Bedrock; Mistral 401, Voyage
 *   {code,message,request_id}                    DashScope
 *   {error_code,error_msg}                       Baidu
 *   {header:{code,message}}                      Xunfei
 *   {response:{error:{…}}}                       Responses events
 *   {Response:{Error:{Code,Message}}}            Tencent
 *   {base_resp:{status_code,status_msg}}         MiniMax; status_code 0 is no error
 *   {success,errors:[{code,message}]}            Cloudflare
 *   {choices:[{error:{…}}]}, finish_reason "error"   OpenRouter in mid-stream
 *   [{error:{…}}]                                Gemini
 */
export function readErrorBody(body: unknown): ErrorBody | undefined {
  if (Array.isArray(body)) return body.length > 0 ? readErrorBody(body[0]) : undefined;
  if (!isRecord(body)) return undefined;
  return readNested(body) ?? readFlat(body) ?? readChoice(body);
}

type Fields = Readonly<Record<string, unknown>>;

function readNested(body: Fields): ErrorBody | undefined {
  const error = body["error"];
  if (typeof error === "string" && error !== "") return errorOf({ ...body, message: error });
  if (isRecord(error) && Object.keys(error).length > 0) return errorOf(error);
  if (isRecord(body["response"])) return readNested(body["response"]);
  const tencent = isRecord(body["Response"]) ? body["Response"]["Error"] : undefined;
  if (isRecord(tencent)) return errorOf({ code: tencent["Code"], message: tencent["Message"] });
  const header = body["header"];
  if (isRecord(header) && header["code"] !== 0 && header["message"] !== undefined) {
    return errorOf(header);
  }
  const base = body["base_resp"];
  if (isRecord(base) && typeof base["status_code"] === "number" && base["status_code"] !== 0) {
    return errorOf({ code: base["status_code"], message: base["status_msg"] });
  }
  const first: unknown = Array.isArray(body["errors"]) ? body["errors"][0] : undefined;
  return isRecord(first) ? errorOf(first) : undefined;
}

/** Reads error fields at the top level of a body. Beside an answer they do not mean an error. */
function readFlat(body: Fields): ErrorBody | undefined {
  if (body["choices"] !== undefined || body["data"] !== undefined) {
    return body["object"] === "error" ? errorOf(body) : undefined;
  }
  if (body["success"] === true) return undefined;
  const found = errorOf(body);
  if (found.code === "0" || found.code === "200") return undefined;
  return found.message === "" && body["object"] !== "error" ? undefined : found;
}

function readChoice(body: Fields): ErrorBody | undefined {
  if (!Array.isArray(body["choices"])) return undefined;
  for (const choice of body["choices"]) {
    if (!isRecord(choice)) continue;
    if (isRecord(choice["error"]) && Object.keys(choice["error"]).length > 0) {
      return errorOf(choice["error"]);
    }
    if (choice["finish_reason"] === "error") return errorOf({ code: "finish-error" });
  }
  return undefined;
}

function errorOf(fields: Fields): ErrorBody {
  const retryAfterMs = pauseOf(JSON.stringify(fields));
  return {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    code: textOf(fields["code"] ?? fields["error_code"]).slice(0, codeLengthMax),
    message: messageOf(fields).slice(0, messageLengthMax),
    type: textOf(fields["type"] ?? fields["status"]).slice(0, codeLengthMax),
  };
}

function messageOf(fields: Fields): string {
  for (const name of ["message", "msg", "err", "error_msg", "detail"]) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
    // Servers report validation errors as lists: Mistral's 422 has the list under `message.detail`,
    // others have it under `detail`.
    const found = firstMessage(isRecord(value) ? value["detail"] : value);
    if (found !== "") return found;
  }
  return "";
}

function firstMessage(list: unknown): string {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(first) ? textOf(first["msg"]) || textOf(first["message"]) : textOf(first);
}

/** Reads a code, which may be a string, a number or null. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
