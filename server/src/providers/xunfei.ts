/**
 * Xunfei's Spark, over HTTP with an APIPassword, or over WebSocket with the three keys of an app.
 * Documents: https://www.xfyun.cn/doc/spark/Web.html, /X1ws.html and /HTTP调用文档.html
 * (read 2026-11-23).
 */

import { createHmac } from "node:crypto";
import { bearer, openaiCompatible } from "./openai-compatible.ts";
import { malformedKey, type Signer } from "./signing.ts";
import { readWritten, writeAgain } from "./written-body.ts";
import { objectOf } from "#formats/shared/read-json.ts";

const chat = "/v1/chat/completions";
const baseUrl = "https://spark-api-open.xf-yun.com";
const socketBaseUrl = "https://spark-api.xf-yun.com";

/** The models that think have a path of their own. */
const thinkingModel = /^(spark-?)?x\d/i;

/** A version of the HTTP address. Those of the WebSocket address, such as `v3.5`, are of no use here. */
const pathVersion = /^v\d$/;

const socketKeys = "APPID|APISecret|APIKey";

/** Where a model is asked over WebSocket, and its name there. */
type Route = { readonly path: string; readonly domain: string };

/** The routes by the names of models, and by versions of the address. */
const routes: ReadonlyMap<string, Route> = new Map([
  ["general", { path: "/v1.1/chat", domain: "general" }],
  ...named(["lite", "v1.1"], { path: "/v1.1/chat", domain: "lite" }),
  ...named(["generalv2", "v2.1"], { path: "/v2.1/chat", domain: "generalv2" }),
  ...named(["generalv3", "v3.1"], { path: "/v3.1/chat", domain: "generalv3" }),
  ...named(["generalv3.5", "v3.5"], { path: "/v3.5/chat", domain: "generalv3.5" }),
  ...named(["4.0ultra", "v4.0"], { path: "/v4.0/chat", domain: "4.0Ultra" }),
  ["pro-128k", { path: "/chat/pro-128k", domain: "pro-128k" }],
  ["max-32k", { path: "/chat/max-32k", domain: "max-32k" }],
  ["x1", { path: "/v1/x1", domain: "x1" }],
  ["spark-x", { path: "/v1/x1", domain: "spark-x" }],
]);

/** The version of a channel that names none. */
const versionDefault = "v2.1";

function named(names: readonly string[], route: Route): (readonly [string, Route])[] {
  return names.map((name) => [name, route]);
}

/** Finds the route by the model, by the version at the end of its name, or by the channel's version. */
function routeOf(model: string, other: string): Route {
  const name = model.toLowerCase();
  const version = other.trim().toLowerCase() || versionDefault;
  const own = routes.get(name) ?? routes.get(/v\d\.\d$/.exec(name)?.[0] ?? "");
  return (
    own ?? routes.get(version) ?? { path: `/${encodeURIComponent(version)}/chat`, domain: model }
  );
}

const sign: Signer = ({ body, channel, format, headers, key, model, nowMs, url }) => {
  const parts = key.split("|").map((part) => part.trim());
  const [appId = "", secret = "", apiKey = ""] = parts;
  const isWhole = parts.length === 3 && !parts.includes("");
  if (format !== "xunfei-spark") {
    // The keys of the WebSocket API are valid here as well, without the app's id.
    const credentials = bearer(isWhole ? `${apiKey}:${secret}` : key);
    return { kind: "signed", url, headers: "authorization" in headers ? {} : credentials };
  }
  if (!isWhole) return malformedKey(socketKeys);
  const { host, pathname } = new URL(url);
  const date = new Date(nowMs).toUTCString();
  const signed = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac("sha256", secret).update(signed).digest("base64");
  const claims = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const authorization = Buffer.from(claims).toString("base64");
  const fields = readWritten(body);
  const parameter = objectOf(fields["parameter"]);
  const { domain } = routeOf(model, channel.other);
  return {
    kind: "signed",
    url: `${url}?${new URLSearchParams({ authorization, date, host }).toString()}`,
    headers: {},
    body: writeAgain({
      ...fields,
      header: { ...objectOf(fields["header"]), app_id: appId },
      parameter: { ...parameter, chat: { ...objectOf(parameter["chat"]), domain } },
    }),
  };
};

export const xunfei = openaiCompatible({
  id: "xunfei",
  label: "Xunfei Spark",
  type: 18,
  baseUrl,
  paths: { chat },
  adjustUrl(url, { channel, format, model }) {
    if (format === "xunfei-spark") {
      const { path } = routeOf(model, channel.other);
      return (channel.baseUrl === baseUrl ? socketBaseUrl : channel.baseUrl) + path;
    }
    const wanted = channel.other.trim();
    const suited = thinkingModel.test(model) ? "v2" : "v1";
    return url.replace(chat, chat.replace("v1", pathVersion.test(wanted) ? wanted : suited));
  },
  // Streams end with usage without a request for it.
  asksForUsage: false,
  quirks: { maxTokensOnly: true, refusedFields: ["stream_options"] },
  others: {
    "xunfei-spark": {
      paths: { chat: "/" },
      asksForUsage: false,
      keys: /^\s*[^|\s][^|]*(\|\s*[^|\s][^|]*){2}$/,
    },
  },
  authHeaders: () => ({}),
  sign,
  keyForm: "APIPassword (HTTP), or APPID|APISecret|APIKey (WebSocket)",
  otherForm:
    "Version in the address, such as v3.5 (WebSocket) or v1 (HTTP); empty: chosen by the model",
  defaultModels: ["lite", "generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra", "x1"],
  source: "https://www.xfyun.cn/doc/spark/Web.html (read 2026-11-23)",
});
