/** Tells the operator that the process may not open enough files, before and when none is left. */

import { lacksDescriptors } from "#base/process/descriptors.ts";
import type { Logger } from "#base/logger.ts";

/** How to let the process open more files. */
const remedy = "Raise the limit (`ulimit -n 65536`, or LimitNOFILE in systemd).";

/** Fewer than this do not suffice for a hundred calls, of which each takes two. */
const usualMin = 1_024;

/** Returns the warning to print when the server starts; null: it may open enough files. */
export function fewDescriptorsWarning(max: number): string | null {
  if (max >= usualMin) return null;
  return `WARNING: this process may have ${max} files and connections open, and each call takes two. ${remedy}`;
}

const everyMs = 1_000;

/** How often the same is logged at most. */
const sayAgainMs = 60_000;

/**
 * Makes the job that logs when no file is left. Clients whose connection cannot be accepted wait
 * then, and nothing else would tell why.
 */
export function watchDescriptors(
  log: Pick<Logger, "error">,
  { now, lacks = lacksDescriptors }: { readonly now: () => number; readonly lacks?: () => boolean },
) {
  let saidMs = -Infinity;
  return {
    name: "watch-descriptors",
    everyMs,
    runs: "every-node" as const,
    async run(): Promise<void> {
      if (now() - saidMs < sayAgainMs || !lacks()) return;
      saidMs = now();
      log.error(
        `no further file or connection can be opened: new clients wait, and upstreams are not reached. ${remedy}`,
      );
    },
  };
}
