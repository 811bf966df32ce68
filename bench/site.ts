/** What every benchmark needs besides the product: demo upstream, nginx and load generators. */

import { type DemoProcess, startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { scripts } from "./cases.ts";
import { type Nginx, startNginx } from "./nginx.ts";
import { type Generator, openGenerator } from "#bench/load/open-generator.ts";
import { removeLeftovers } from "./product.ts";
import { startTlsSite, type TlsSite } from "#bench/load/tls-site.ts";

export type Site = {
  readonly demo: DemoProcess;
  readonly nginx: Nginx | null;
  /** Null: there is no nginx. */
  readonly tls: TlsSite | null;
  readonly generator: Generator;
  readonly prober: Generator;
};

/**
 * Starts what a benchmark needs besides the product.
 * @param nginxProgram path of nginx; `""`: there is none.
 */
export async function openSite(nginxProgram: string): Promise<Site> {
  removeLeftovers();
  const demo = await startDemo();
  for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
  const nginx = nginxProgram === "" ? null : await startNginx(nginxProgram, portOf(demo.url));
  const tls = nginx === null ? null : await startTlsSite(nginxProgram, portOf(demo.url));
  if (nginx === null) tell("There is no nginx here: nothing to compare with.");
  return { demo, nginx, tls, generator: openGenerator(), prober: openGenerator() };
}

export async function closeSite({ demo, nginx, tls, generator, prober }: Site): Promise<void> {
  await Promise.all([demo.stop(), nginx?.stop(), tls?.stop(), generator.stop(), prober.stop()]);
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Prints progress and errors on standard error; standard output is for the result. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
