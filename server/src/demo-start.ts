/**
 * `--demo`: a scripted upstream and everything a first call needs, made through the console API
 * as an operator would. What answers is a script, and every line here says so.
 */

import { openSecrets } from "#base/secrets.ts";
import type { Config } from "./config.ts";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { prepareDemo } from "@tollgate/demo/prepare.ts";
import type { Running } from "./start.ts";

const username = "root";

/** Hex digits of the demo's root password: 80 bits, the same at every start. */
const passwordLength = 20;

/** @returns stops the demo upstream. */
export async function openDemo(
  config: Config,
  running: Running,
  tell: (line: string) => void,
): Promise<() => Promise<void>> {
  const upstream = startDemoUpstream();
  const password =
    config.root?.password ??
    Buffer.from(openSecrets(config.secretKey).derive("demo root"))
      .toString("hex")
      .slice(0, passwordLength);
  const account = { username: config.root?.username ?? username, password };
  if (!(await running.context.stores.installation.isSetUp())) {
    await running.context.handlers.createRoot(account);
  }
  const { key, model } = await prepareDemo({ ...account, origin: running.origin, upstream });
  tell(`Demo upstream (a script, not a model) is at ${upstream.url}`);
  tell(`Sign in as ${account.username} with password ${password}`);
  tell("Try a call, whole and as a stream:\n");
  for (const stream of [false, true]) tell(`${curlLine(running.origin, key, model, stream)}\n`);
  return upstream.stop;
}

function curlLine(origin: string, key: string, model: string, stream: boolean): string {
  const call = { model, messages: [{ role: "user", content: "hi" }] };
  const body = JSON.stringify(stream ? { ...call, stream } : call);
  return (
    `curl -sN ${origin}/v1/chat/completions -H 'authorization: Bearer ${key}' ` +
    `-H 'content-type: application/json' -d '${body}'`
  );
}
