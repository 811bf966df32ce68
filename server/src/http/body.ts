/** Reads the JSON body of a console call. Limits its size, media type and form. */

import { HeldBytes, type Memory, type Shortage } from "#base/memory/byte-budget.ts";
import { scanObject } from "#base/json-scan.ts";
import { Refusal } from "#base/refusal.ts";

/** The largest number of bytes of a body. The longest option that the console saves fits. */
export const consoleBodyBytesMax = 512 * 1024;

/**
 * Reads a body, which must be one JSON object. An empty body counts as an empty object. A field
 * named in `declared` may occur only once, because JSON parsers differ in which occurrence they
 * take.
 *
 * @throws Refusal `media-type`, `body-too-large`, `malformed`, `busy` or `rate-limited`.
 */
export async function readJsonBody(
  request: Request,
  declared: readonly string[],
  memory: Memory,
): Promise<object> {
  const bytes = await readBytes(request, memory);
  if (bytes.length === 0) return {};
  const encoding = request.headers.get("content-encoding") ?? "identity";
  const mediaType = (request.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
  if (encoding !== "identity" || mediaType.toLowerCase() !== "application/json") {
    throw new Refusal("media-type", "请求内容必须是 application/json");
  }
  const { doubled, errorAt } = scanObject(bytes, declared);
  if (errorAt >= 0) throw new Refusal("malformed", "无效的参数");
  if (doubled[0] !== undefined) throw new Refusal("malformed", `重复的参数：${doubled[0]}`);
  return parse(bytes);
}

/**
 * Reads a body as it came, of any media type.
 *
 * @throws Refusal `body-too-large`, `busy` or `rate-limited`.
 */
export async function readRawBody(request: Request, memory: Memory): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, memory));
}

function parse(bytes: Uint8Array): object {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // The parser's message would not help the caller, so the refusal below replaces it.
  }
  throw new Refusal("malformed", "无效的参数");
}

/**
 * Reads the body and counts its bytes as they arrive. `content-length` is used only to refuse a
 * large body early.
 */
async function readBytes(request: Request, memory: Memory): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > consoleBodyBytesMax) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  const held = new HeldBytes(memory);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      length += value.length;
      const refusal = length > consoleBodyBytesMax ? tooLarge() : tooMuch(held.hold(length));
      if (refusal !== null) {
        await reader.cancel();
        throw refusal;
      }
      chunks.push(value);
    }
  } finally {
    held.free();
  }
}

/** After how long the memory of others may be free. */
const retryAfterMs = 1_000;

function tooMuch(shortage: Shortage | null): Refusal | null {
  switch (shortage) {
    case null:
      return null;
    case "all":
      return new Refusal("busy", "服务繁忙，请稍后再试", { retryAfterMs });
    case "owner":
      return new Refusal("rate-limited", "您有过多尚未传完的请求，请稍后再试", { retryAfterMs });
  }
}

function tooLarge(): Refusal {
  return new Refusal("body-too-large", "请求内容过大");
}
