/** Finds out what a report says about a run: machine, date, commit and versions. */

import { cpus, release, totalmem, type } from "node:os";
import type { About } from "./result.ts";
import type { Extent } from "./rounds.ts";

export function readAbout(
  extentName: string,
  { rounds, sampleMs }: Extent,
  nginx: string | null,
): About {
  return {
    extent: extentName,
    date: new Date().toISOString().slice(0, 10),
    commit: commitOf(),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    bun: Bun.version,
    nginx,
    rounds,
    sampleMs,
  };
}

/** Returns the current commit, with a `+` when the working tree differs from it. */
export function commitOf(): string {
  const git = (...args: string[]): string =>
    Bun.spawnSync(["git", ...args], { cwd: import.meta.dir })
      .stdout.toString()
      .trim();
  const commit = git("rev-parse", "--short=12", "HEAD");
  return commit === "" ? "unknown" : commit + (git("status", "--porcelain") === "" ? "" : "+");
}
