/**
 * The control API, on the same port as the provider API: reads the record of what was served, and
 * registers scripts for models. It answers this machine only; other clients get a 404.
 */

import type { Account } from "./account.ts";
import type { Scripts } from "./models.ts";
import type { DemoRequest } from "./request-parser.ts";
import { parseScriptText } from "./script.ts";

export const controlPrefix = "/__demo/";
const scriptsPrefix = "/__demo/scripts/";
const releasePrefix = "/__demo/release/";

type ControlDeps = {
  readonly account: Account;
  readonly scripts: Scripts;
  readonly connectionCount: () => number;
};

type ControlAnswer = { readonly status: number; readonly body: unknown };

export function control(
  { account, scripts, connectionCount }: ControlDeps,
  request: DemoRequest,
  remoteAddress: string,
): ControlAnswer {
  if (!isLoopback(remoteAddress)) return notFound;
  const { method, path } = request;
  if (path.startsWith(scriptsPrefix)) return editScript(scripts, request);
  if (path.startsWith(releasePrefix)) return release(scripts, request);
  switch (`${method} ${path}`) {
    case "GET /__demo/account":
      return readAccount(account, new URLSearchParams(request.query));
    case "GET /__demo/open": {
      const calls = account.openIds();
      return ok({ connections: connectionCount(), calls: calls.length, ids: calls });
    }
    case "POST /__demo/reset":
      account.reset();
      return ok({ reset: true });
    default:
      return notFound;
  }
}

function readAccount(account: Account, query: URLSearchParams): ControlAnswer {
  const afterId = Number(query.get("after") ?? 0);
  if (!Number.isSafeInteger(afterId)) return wrong("after: not an id");
  const marker = query.get("marker");
  return ok(account.read({ afterId, ...(marker === null ? {} : { marker }) }));
}

function editScript(scripts: Scripts, { method, path, body }: DemoRequest): ControlAnswer {
  const model = decodeModel(path.slice(scriptsPrefix.length));
  if (model === undefined) return wrong("the model name is empty or badly encoded");
  if (method === "DELETE") return ok({ model, removed: scripts.unregister(model) });
  if (method !== "PUT") return notFound;
  const reading = parseScriptText(body);
  if ("reason" in reading) return wrong(reading.reason);
  if (!scripts.register(model, reading.script)) return wrong("too many scripts");
  return ok({ model, script: reading.script });
}

function release(scripts: Scripts, { method, path }: DemoRequest): ControlAnswer {
  const model = decodeModel(path.slice(releasePrefix.length));
  if (model === undefined) return wrong("the model name is empty or badly encoded");
  if (method !== "POST") return notFound;
  scripts.release(model);
  return ok({ model, released: true });
}

function decodeModel(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded) || undefined;
  } catch {
    return undefined;
  }
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}

const notFound: ControlAnswer = { status: 404, body: { error: { message: "not found" } } };

function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

function wrong(message: string): ControlAnswer {
  return { status: 400, body: { error: { message } } };
}
