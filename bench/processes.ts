/** CPU time and memory of processes, as the kernel counts them. Linux only: it reads /proc. */

import { readdirSync, readFileSync } from "node:fs";

/** Length of a tick of /proc/PID/stat; 10 ms nearly everywhere. */
const tickMs = 1_000 / Number(Bun.spawnSync(["getconf", "CLK_TCK"]).stdout.toString());

/** The id of the process kthreadd, the parent of every kernel thread. */
const kthreadd = 2;

type Stat = { readonly parent: number; readonly cpuMs: number };

/**
 * Reads user and system time of all threads of these processes since their start, in milliseconds.
 */
export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuMs ?? 0), 0);
}

/** Reads the resident memory of these processes in MiB; shared pages count for each. */
export function rssMiBOf(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  });
  return kib.reduce((sum, one) => sum + one, 0) / 1_024;
}

/** Measures the CPU time of all other programs from now on. */
type Onlooker = {
  /**
   * Cores that other programs have used since the measurement began, and cores that the host of a
   * virtual machine took away.
   */
  otherCores(): number;
};

/**
 * Begins to measure what other programs use. Interrupts and kernel threads do not count: they also
 * do the network and disk work of the benchmark itself, and nothing separates that from the work of
 * others.
 */
export function watchOthers(): Onlooker {
  const before = readMachine();
  return {
    otherCores() {
      const now = readMachine();
      const othersMs = now.busyMs - before.busyMs - (now.oursMs - before.oursMs);
      return Math.max(0, othersMs / (now.atMs - before.atMs));
    },
  };
}

type Machine = { readonly atMs: number; readonly busyMs: number; readonly oursMs: number };

function readMachine(): Machine {
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = readFileSync("/proc/stat", "utf8")
    .slice(0, 200)
    .split(/\s+/)
    .map(Number);
  const stats = readStats();
  const ours = new Set([process.pid]);
  // Processes are visited by ascending id, so that a parent comes before its children, except when
  // ids have wrapped around.
  for (const [pid, { parent }] of stats) {
    if (ours.has(parent) || parent === kthreadd) ours.add(pid);
  }
  const oursMs = [...ours].reduce((sum, pid) => sum + (stats.get(pid)?.cpuMs ?? 0), 0);
  return { atMs: performance.now(), busyMs: (user + nice + system + steal) * tickMs, oursMs };
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  return stats;
}

/**
 * Reads the parent and the CPU time of a process from /proc.
 * @returns undefined: the process has ended.
 */
function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name in parentheses may contain anything, so fields count from behind it, state first.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [, parent = 0] = fields.map(Number);
  return { parent, cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
}
