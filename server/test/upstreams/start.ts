/**
 * The demo upstream with the providers that only tests need:
 *
 * - Bedrock, Cohere, DashScope, Ollama: see `answers/`. Providers that sign requests or talk in a
 *   format of their own: see `providers/`. Where requests are signed, the secret of every account is
 *   `demo-secret`.
 * - WebSocket: `…/ws/google.ai.generativelanguage.{v1alpha,v1beta}.GenerativeService.BidiGenerateContent`,
 *   and Vertex's `…/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent`, whose
 *   tokens come from `POST /token`.
 */

import { type MoreAnswers, startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import { sendJson } from "@tollgate/demo/send.ts";
import { answerLive, isLivePath } from "./live/live.ts";
import { googleToken } from "./live/vertex.ts";
import { baiduToken } from "./providers/baidu-wenxin.ts";
import { openSpark } from "./providers/xunfei-spark.ts";
import { isSparkPath, sparkTarget, targetOf } from "./routes.ts";

const more: MoreAnswers = {
  targetOf,
  answererOf(request) {
    const { method, path } = request;
    if (isLivePath(path)) return (deps, connection) => answerLive(deps, request, connection);
    if (method === "GET" && isSparkPath(path)) {
      return ({ answerCall }, connection) =>
        openSpark(request, connection, (asked) => answerCall(sparkTarget, asked, connection));
    }
    const token = tokenFor(request);
    if (token === undefined) return undefined;
    return (_, connection) => sendJson(connection, token.status, JSON.stringify(token.body));
  },
};

/** Answers a request for a token, which some providers want in place of the key. */
function tokenFor(request: DemoRequest) {
  return baiduToken(request) ?? googleToken(request, Date.now());
}

/**
 * Starts the demo upstream with all providers.
 *
 * @param options port 0 or none: any free port.
 */
export function startUpstreams(
  options: { readonly hostname?: string; readonly port?: number } = {},
): ReturnType<typeof startDemoUpstream> {
  return startDemoUpstream({ ...options, more });
}
