/** How many files and connections this process may have open, and whether none is left. */

import { closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";

/** Returns how many files this process may open; Infinity: it is not known. */
export function descriptorsMax(): number {
  if (process.platform !== "linux") return Infinity;
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}

/**
 * Whether this process, or the machine, can open no further file. The runtime reports a connection
 * that fails for it as one that the other end has refused.
 */
export function lacksDescriptors(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return false;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "EMFILE" || code === "ENFILE";
  }
}
