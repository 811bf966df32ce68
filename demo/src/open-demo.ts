/**
 * `--demo`: starts the demo upstream and creates everything that a first call needs, through the
 * console API as an operator would. Every line it prints says that the answers are scripted.
 */

import { startDemoUpstream } from "./demo-upstream.ts";
import { builtInScripts } from "./models.ts";
import { type DemoUser, prepareDemo, type Visitors } from "./prepare.ts";
import { openTraffic } from "./traffic.ts";

type OpenDemo = {
  /**
   * The account that the calls of visitors are charged to; null: visitors cannot make calls.
   * `makeCall` makes one of its calls through the gateway.
   */
  readonly visitors: (Visitors & { readonly makeCall: () => Promise<void> }) | null;
  /** The gateway's id of root; null: the demo does not know root's password. */
  readonly rootId: number | null;
  /** The ids of the demo's channels, by model. */
  readonly channels: ReadonlyMap<string, number>;
  /** Stops the demo upstream. */
  readonly stop: () => Promise<void>;
};

/**
 * The port that the demo upstream tries first, so that the channel of an earlier start still finds
 * it, even if root has changed the password since and the demo cannot sign in. If it is in use, any
 * free port.
 */
const usualPort = 3_999;

/** Starts the demo. */
export async function openDemo(
  gateway: {
    readonly origin: string;
    /** The root user of the gateway as the demo created it; somebody may have changed it since. */
    readonly root: DemoUser;
    /** The account for the calls of visitors, which is created if it does not exist. */
    readonly visitors: DemoUser;
  },
  print: (line: string) => void,
): Promise<OpenDemo> {
  const { origin, root } = gateway;
  const upstream = startOnUsualPort();
  print(`Demo upstream (a script, not a model) is at ${upstream.url}`);
  const prepared = await prepareDemo({ ...gateway, upstream });
  const { signedIn, call, visitors, missing, rootId, channels } = prepared;
  if (missing.length > 0) print(whatIsMissing(missing, { signedIn, url: upstream.url }));
  if (signedIn) print(`Sign in as ${root.username} with password ${root.password}`);
  if (call !== null) {
    print("Try a call, as a stream, in the format of any client and with any of the models:\n");
    for (const line of curlLines({ origin, ...call })) print(`${line}\n`);
  }
  return {
    visitors:
      visitors === null
        ? null
        : { ...visitors, makeCall: openTraffic({ origin, key: visitors.key }) },
    rootId,
    channels,
    stop: upstream.stop,
  };
}

function startOnUsualPort(): ReturnType<typeof startDemoUpstream> {
  try {
    return startDemoUpstream({ port: usualPort });
  } catch {
    return startDemoUpstream();
  }
}

function whatIsMissing(
  missing: readonly string[],
  { signedIn, url }: { readonly signedIn: boolean; readonly url: string },
): string {
  const added = missing.map((what) => `  - ${what}`).join("\n");
  const models = Object.keys(builtInScripts).join(", ");
  const help = signedIn
    ? "Add it in the console"
    : "The demo does not know root's password. Set TOLLGATE_ROOT_USERNAME and " +
      "TOLLGATE_ROOT_PASSWORD to root's present name and password and start again, or add a " +
      "channel in the console";
  return (
    `The demo could not add everything; the gateway runs. Missing:\n${added}\n` +
    `${help}: type OpenAI, base URL ${url}, any key, models ${models}.`
  );
}

/** Returns one call for each format of clients. */
function curlLines(call: {
  readonly origin: string;
  readonly key: string;
  readonly model: string;
}): string[] {
  const { origin, key, model } = call;
  const messages = [{ role: "user", content: "hi" }];
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const line = (path: string, header: string, body: object): string =>
    `curl -sN '${origin}${path}' -H '${header}' -H 'content-type: application/json' ` +
    `-d '${JSON.stringify(body)}'`;
  return [
    line("/v1/chat/completions", `authorization: Bearer ${key}`, { model, messages, stream: true }),
    line("/v1/responses", `authorization: Bearer ${key}`, {
      model: "demo-messages",
      input: "hi",
      stream: true,
    }),
    line("/v1/messages", `x-api-key: ${key}`, {
      model: "demo-gemini",
      max_tokens: 100,
      messages,
      stream: true,
    }),
    line("/v1beta/models/demo-responses:streamGenerateContent?alt=sse", `x-goog-api-key: ${key}`, {
      contents,
    }),
  ];
}
