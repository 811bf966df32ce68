/**
 * The listener: one port for relay, console, health, metrics and files. Only this file decides by
 * the path which of them gets a request.
 */

import { openTurns, type TakeTurn } from "#base/turns.ts";
import type { CallMeta, ClientRequest, Fields } from "./client-request.ts";
import type { ErrorTexts } from "./error-texts.ts";
import type { Seen } from "./proxies.ts";
import { openServer } from "./server.ts";
import { respondWith, toRequest } from "./web-standard.ts";
import { readPath } from "./target.ts";

type Routes = {
  /** Answers requests to the relay, each by sending its response. Never rejects. */
  readonly relay: (request: ClientRequest, meta: CallMeta) => Promise<void>;
  /** Answers calls from the console's playground, each by sending its response. */
  readonly playground: (request: ClientRequest, meta: CallMeta, seen: Seen) => Promise<void>;
  /** A visitor's calls of the demo, which stream as the relay's do; null: there is no demo. */
  readonly demoCall: {
    readonly takes: (request: ClientRequest) => boolean;
    readonly answer: Routes["playground"];
  } | null;
  readonly console: (request: Request, meta: CallMeta) => Promise<Response>;
  /** Answers requests for health, metrics and files. */
  readonly other: (request: Request, meta: CallMeta, path: string) => Promise<Response>;
};

type ListenOptions = {
  readonly host: string;
  readonly port: number;
  /** How long a client's connection may wait for its next request. */
  readonly keepAliveSeconds: number;
  /** The path that requests may begin with; empty: none. */
  readonly basePath: string;
  readonly routes: Routes;
  /** The first segments of the relay's paths that only tasks have. */
  readonly taskFolders: readonly string[];
  readonly newRequestId: () => string;
  readonly clientIp: (peer: string, headers: Fields) => string;
  /** How the browser behind a request sees the gateway. */
  readonly seen: (peer: string, headers: Fields) => Seen;
  readonly errorText: ErrorTexts;
  readonly onBug: (error: unknown, requestId: string) => void;
};

export type Listener = {
  readonly port: number;
  readonly host: string;
  /** Begins the shutdown: from now on every response closes its connection. */
  startDraining(): void;
  /** Refuses calls of the console from now on. */
  refuseCalls(): void;
  /** Returns how many requests are in progress. */
  busy(): number;
  stop(): void;
};

/**
 * Paths of the relay, and those that programs ask for which take any page for the answer to their
 * question: of other versions of an API, and of what servers say about themselves.
 */
const relayPath =
  /^\/+(v\d[\w.-]*|\.well-known|dashboard|managed|openai|upload|ws|(?!api\/)[\w-]+\/mj)(\/|$)/i;
const firstSegment = /^\/+([^/?]*)/;
const consolePath = /^\/api(\/|$)/;
const playgroundPath = /^\/+pg(\/|$)/;

/** Paths of files, of what watches the gateway, and of drawings at a speed. */
const otherPath = /^\/(assets|fast|healthz|metrics|readyz|relax|turbo)(\/|$)/;

/**
 * Whether the gateway serves something at a path itself, so that no part of it may be taken for a
 * base path.
 */
export function isOwnPath(path: string, taskFolders: readonly string[]): boolean {
  const patterns = [relayPath, consolePath, playgroundPath, otherPath];
  return (
    taskFolders.includes(firstSegment.exec(path)?.[1] ?? "") ||
    patterns.some((pattern) => pattern.test(path))
  );
}

/** What callers read while the process stops. */
const stoppingText = "服务正在停止，请稍后重试";

/** `retry-after` of that answer, in seconds: another node, or the next process, answers then. */
const stoppingRetrySeconds = 1;

export function listen(options: ListenOptions): Listener {
  const takeTurn = openTurns();
  const state = { refuses: false };
  const server = openServer({
    host: options.host,
    port: options.port,
    keepAliveSeconds: options.keepAliveSeconds,
    basePath: options.basePath,
    nowMs: () => performance.now(),
    onBug: (error) => options.onBug(error, ""),
    answer: (request) => void answer(options, state, takeTurn, request),
  });
  return {
    ...server,
    host: options.host,
    refuseCalls() {
      state.refuses = true;
    },
  };
}

function isOfTasks({ taskFolders }: ListenOptions, path: string): boolean {
  return taskFolders.includes(firstSegment.exec(path)?.[1] ?? "");
}

/** Answers a request by its path. Never rejects. */
async function answer(
  options: ListenOptions,
  state: { readonly refuses: boolean },
  takeTurn: TakeTurn,
  request: ClientRequest,
): Promise<void> {
  const requestId = options.newRequestId();
  try {
    const meta = { requestId, clientIp: options.clientIp(request.peer, request.headers) };
    const { routes } = options;
    const path = readPath(request.url);
    if (relayPath.test(path) || isOfTasks(options, path)) {
      await routes.relay(request, meta);
      return;
    }
    const seen = options.seen(request.peer, request.headers);
    if (playgroundPath.test(path)) await routes.playground(request, meta, seen);
    else if (routes.demoCall?.takes(request)) await routes.demoCall.answer(request, meta, seen);
    else {
      const isConsole = consolePath.test(path);
      if (isConsole && state.refuses) {
        refuseConsole(options, request, requestId);
        return;
      }
      if (isConsole) await takeTurn();
      const standard = toRequest(request, seen);
      const response = isConsole
        ? await routes.console(standard, meta)
        : await routes.other(standard, meta, path);
      response.headers.set("x-request-id", requestId);
      await respondWith(request, response);
    }
  } catch (error) {
    options.onBug(error, requestId);
    const text = `服务器内部错误 (request id: ${requestId})`;
    fail(options, request, { status: 500, text, headers: { "x-request-id": requestId } });
  }
}

function refuseConsole(options: ListenOptions, request: ClientRequest, requestId: string): void {
  const headers = { "x-request-id": requestId, "retry-after": String(stoppingRetrySeconds) };
  fail(options, request, { status: 503, text: stoppingText, headers });
}

function fail(
  { errorText }: ListenOptions,
  request: ClientRequest,
  failure: { status: number; text: string; headers: Record<string, string> },
): void {
  const { status, text, headers } = failure;
  const message = errorText(text, request.headers.get("accept-language"));
  request.respond({
    status,
    headers: { "content-type": "application/json;charset=utf-8", ...headers },
    body: JSON.stringify({ success: false, message }),
  });
}
