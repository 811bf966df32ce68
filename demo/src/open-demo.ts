/**
 * `--demo`: starts the scripted upstream and makes everything a first call needs, through the
 * console API as an operator would. Every line it prints says that a script answers.
 */

import { startDemoUpstream } from "./demo-upstream.ts";
import { prepareDemo } from "./prepare.ts";

export type DemoRoot = { readonly username: string; readonly password: string };

/** @returns stops the demo upstream. */
export async function openDemo(
  gateway: {
    readonly origin: string;
    /** The root user of the gateway; made by now. */
    readonly root: DemoRoot;
  },
  print: (line: string) => void,
): Promise<() => Promise<void>> {
  const { origin, root } = gateway;
  const upstream = startDemoUpstream();
  const { key, model } = await prepareDemo({ ...root, origin, upstream });
  print(`Demo upstream (a script, not a model) is at ${upstream.url}`);
  print(`Sign in as ${root.username} with password ${root.password}`);
  print("Try a call, whole and as a stream:\n");
  for (const stream of [false, true]) print(`${curlLine(origin, key, model, stream)}\n`);
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
