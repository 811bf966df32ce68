/**
 * Runs the demo upstream as its own process, so that it survives kills of the gateway. The gateway's
 * charges are compared with its account of what it served.
 */

import { join } from "node:path";
import type { DemoAccount } from "@tollgate/demo/account.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { eventually } from "./ledger.ts";

const program = join(import.meta.dir, "../upstreams/serve.ts");

export type DemoProcess = {
  readonly url: string;
  /** Registers the script for later calls of `model`. */
  script(model: string, script: DemoScript): Promise<void>;
  /** Releases the answers of `model` that its script holds back. */
  release(model: string): Promise<void>;
  /**
   * Reads the calls that the demo upstream got after the call `afterId`, and the totals of all
   * calls.
   */
  account(afterId?: number): Promise<DemoAccount>;
  /** Counts the calls that the demo upstream is answering right now. */
  openCalls(): Promise<number>;
  /** Counts the open sockets, including the one of this request. */
  connections(): Promise<number>;
  stop(): Promise<void>;
};

export async function startDemo(): Promise<DemoProcess> {
  const child = Bun.spawn([process.execPath, "--no-env-file", program, "--port", "0"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  // Safe cast: `serve.ts` prints its URL in this form.
  const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string };

  async function ask<Answer>(path: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(`${url}/__demo/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`demo ${path}: ${text}`);
    // Safe cast: `demo/src/control.ts` sends these answers.
    return JSON.parse(text) as Answer;
  }
  type Open = { readonly connections: number; readonly calls: number };

  return {
    url,
    async script(model, script) {
      const path = `scripts/${encodeURIComponent(model)}`;
      await ask(path, { method: "PUT", body: JSON.stringify(script) });
    },
    async release(model) {
      await ask(`release/${encodeURIComponent(model)}`, { method: "POST" });
    },
    account: (afterId = 0) => ask<DemoAccount>(`account?after=${afterId}`),
    openCalls: async () => (await ask<Open>("open")).calls,
    connections: async () => (await ask<Open>("open")).connections,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Reads the id of the newest call, so that a test can read only later ones. */
export async function lastCallId(demo: DemoProcess): Promise<number> {
  const { calls } = await demo.account();
  return calls.at(-1)?.id ?? 0;
}

/** Waits until the demo upstream has seen `count` calls after the call `afterId`. */
export async function untilCalled(
  demo: DemoProcess,
  { count, afterId }: { readonly count: number; readonly afterId: number },
): Promise<void> {
  await eventually(
    async () => (await demo.account(afterId)).calls.length,
    (seen) => seen >= count,
    { what: `${count} calls upstream` },
  );
}
