/**
 * The demo upstream: a provider without a model, which speaks several APIs. Its answers are scripted
 * and say so. It serves the demo mode, the tests and the benchmarks, and writes its bytes itself, so that a
 * script can break an answer at any of them. `script.ts` describes the scripts.
 *
 * - `POST …/v1/chat/completions`, `…/v1/completions`, `…/v1/embeddings`, `…/v1/responses`,
 *   `…/v1/messages`, `…/v1beta/models/{model}:generateContent` and `:streamGenerateContent`,
 *   `GET …/v1/models`, under any prefix, any key but `sk-demo-bad`.
 * - Tasks of Midjourney, Suno, Kling, Doubao and OpenAI's videos: see `tasks/`.
 * - `/__demo/account`, `…/reset`, `…/scripts/{model}`, `…/release/{model}`, `…/open`: see
 *   `control.ts`.
 * - What `more` adds: tests have providers there that talk in formats of their own.
 */

import { type DemoAccount, openAccount } from "./account.ts";
import { type CallAnswerer, type CallDeps, openAnswerer } from "./answer-call.ts";
import { type Connection, type ConnectionEvents, openConnection } from "./connection.ts";
import { control, controlPrefix } from "./control.ts";
import { badRequest, errorText, modelNotFound } from "./answers/errors.ts";
import { openScripts, type Scripts } from "./models.ts";
import { refuseKey } from "./keys.ts";
import type { DemoRequest } from "./request-parser.ts";
import { mediaAnswer } from "./answers/media.ts";
import { type Target, targetOf } from "./routes.ts";
import { sendBytes, sendJson, sendWhole } from "./send.ts";
import { answerTask, type TaskAnswer } from "./tasks/answer-task.ts";
import { openTasks } from "./tasks/tasks.ts";

type DemoUpstream = {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly account: () => DemoAccount;
  /** Closes all connections and frees the port. */
  stop(): Promise<void>;
};

/** What a demo upstream serves besides. */
export type MoreAnswers = {
  /** Returns what a POST to the path calls; undefined: nothing. */
  readonly targetOf: (path: string) => Target | undefined;
  /** Returns what answers a request that is no call, or not at once; undefined: nothing. */
  readonly answererOf: (request: DemoRequest) => MoreAnswerer | undefined;
};

type MoreAnswerer = (
  deps: CallDeps & { readonly answerCall: CallAnswerer },
  connection: Connection,
) => Promise<void> | undefined;

/** The largest number of connections, near the usual limit of file descriptors. */
const connectionsMax = 20_000;
/** The creation time of every model, in Unix seconds: 2026-01-01. */
const modelsCreatedTime = 1_767_225_600;

/**
 * Starts the demo upstream.
 *
 * @param options port 0 or none: any free port.
 */
export function startDemoUpstream(
  options: { hostname?: string; port?: number; more?: MoreAnswers } = {},
): DemoUpstream {
  const { hostname = "127.0.0.1", more } = options;
  const account = openAccount(Date.now);
  const scripts = openScripts();
  const tasks = openTasks(Date.now);
  const connections = new Set<ConnectionEvents>();
  const deps = { account, scripts, connectionCount: () => connections.size };
  const answerCall = openAnswerer(deps);

  const answer = (request: DemoRequest, connection: Connection): Promise<void> | undefined => {
    const { method, path } = request;
    if (path.startsWith(controlPrefix)) {
      const { status, body } = control(deps, request, connection.remoteAddress);
      return sendJson(connection, status, JSON.stringify(body));
    }
    const task = answerTask(tasks, { method, path, body: request.body, url: url() });
    if (task !== undefined) return sendTask(connection, task);
    const other = more?.answererOf(request);
    if (other !== undefined) return other({ ...deps, answerCall }, connection);
    const target = targetOf(path) ?? more?.targetOf(path);
    if (method === "POST" && target !== undefined) return answerCall(target, request, connection);
    return answerSmall(scripts, request, connection);
  };

  const listener = Bun.listen<ConnectionEvents | undefined>({
    hostname,
    port: options.port ?? 0,
    data: undefined,
    socket: {
      open(socket) {
        if (connections.size >= connectionsMax) {
          socket.terminate();
          return;
        }
        socket.setNoDelay(true);
        socket.data = openConnection(socket, answer);
        connections.add(socket.data);
      },
      data(socket, chunk) {
        socket.data?.received(chunk);
      },
      drain(socket) {
        socket.data?.drained();
      },
      close(socket) {
        if (socket.data === undefined) return;
        connections.delete(socket.data);
        socket.data.closed();
      },
    },
  });
  const url = (): string => urlOf(hostname, listener.port);
  return {
    url: url(),
    account: () => account.read(),
    async stop() {
      for (const { connection } of connections) connection.reset();
      listener.stop(true);
    },
  };
}

/** Answers what has no script: pictures, sounds, lists of models, and paths that nobody knows. */
function answerSmall(
  scripts: Scripts,
  request: DemoRequest,
  connection: Connection,
): Promise<void> | undefined {
  const { method, path } = request;
  const [, resource = ""] = /^.*\/v1(?:beta)?\/(.+)$/.exec(path) ?? [];
  const media = method === "POST" ? mediaAnswer(resource) : undefined;
  if (media !== undefined) return sendMedia(connection, request, media);
  if (method === "GET" && /^models(\/|$)/.test(resource)) {
    const refusal = refuseKey(request);
    if (refusal !== undefined) return sendJson(connection, 401, errorText(refusal));
    return sendModels(connection, scripts, resource);
  }
  const body = errorText(badRequest(`Unknown request URL: ${method} ${path}.`, null));
  return sendJson(connection, 404, body);
}

function sendMedia(
  connection: Connection,
  request: DemoRequest,
  media: string,
): Promise<void> | undefined {
  const refusal = refuseKey(request);
  if (refusal !== undefined) return sendJson(connection, 401, errorText(refusal));
  return sendWhole(connection, media, () => {});
}

function urlOf(hostname: string, port: number): string {
  const shown = hostname === "0.0.0.0" || hostname === "::" ? "127.0.0.1" : hostname;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

/** Sends what a platform of tasks answers; half of it, if the answer is cut. */
function sendTask(connection: Connection, answer: TaskAnswer): Promise<void> | undefined {
  switch (answer.kind) {
    case "json":
      return sendJson(connection, answer.status, JSON.stringify(answer.body));
    case "bytes":
      return sendBytes(connection, answer.type, answer.bytes);
    case "cut":
      connection.send(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
      );
      connection.reset();
      return undefined;
  }
}

function sendModels(
  connection: Connection,
  scripts: Scripts,
  resource: string,
): Promise<void> | undefined {
  const models = scripts.models().map((id) => ({
    id,
    object: "model",
    created: modelsCreatedTime,
    owned_by: "demo-upstream-scripted",
  }));
  const wanted = /^models\/(.+)$/.exec(resource)?.[1];
  if (wanted === undefined) {
    return sendJson(connection, 200, JSON.stringify({ object: "list", data: models }));
  }
  const found = models.find(({ id }) => id === wanted || encodeURIComponent(id) === wanted);
  if (found === undefined) return sendJson(connection, 404, errorText(modelNotFound(wanted)));
  return sendJson(connection, 200, JSON.stringify(found));
}
