/** Writes the result of a run as `docs/performance.md`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { partNames } from "./cases.ts";
import type { Latency } from "#bench/load/load-job.ts";
import { logSections } from "#bench/logs/report.ts";
import type { MemoryResult, Result, StallResult } from "./result.ts";
import { otherCoresOf, type Spread, summarise, targetsOf } from "./summary.ts";
import { fixed, table, targetTable, whole } from "./table.ts";

const names = { direct: "upstream, directly", nginx: "nginx `proxy_pass`", tollgate: "Tollgate" };

/** Findings from profiles about the targets that are missed. Written by hand. */
const findings = readFileSync(join(import.meta.dir, "findings.md"), "utf8").trim();

/**
 * Writes the report as Markdown text.
 * @param picture path of the drawing, as a link from the report; null: there is none.
 * @param before the report that is replaced: what it says of the long log on other databases stays.
 */
export function writeReport(result: Result, picture: string | null, before: string): string {
  const parts = [
    `# Performance`,
    intro,
    ...(picture === null ? [] : [`![CPU per call, as a multiple of nginx](${picture})`]),
    `## Targets\n\n${targetTable(targetsOf(result))}\n\n${findings}`,
    ...(result.cases.length > 0 ? [`## CPU, throughput, latency\n\n${caseTable(result)}`] : []),
    ...(result.memory === null ? [] : [`## Memory\n\n${memoryTable(result.memory)}`]),
    ...(result.stall === null ? [] : [`## Stalls\n\n${stallTable(result.stall)}`]),
    ...logSections(result, before),
    ...(result.ledgers.length > 0 ? [`## The ledger afterwards\n\n${ledgerTable(result)}`] : []),
    `## Where\n\n${aboutTable(result)}`,
    method,
  ];
  return `${parts.join("\n\n")}\n`;
}

const intro = `What a call through Tollgate costs, compared with the same call through nginx as a plain reverse proxy, and with the same call straight to the upstream. Tollgate does its whole work: for every call it checks the token, holds an amount against the balances of user and token, routes over three channels, meters, charges, and commits the log row, the ledger entry, the counters and the roll-up (SQLite, \`synchronous=FULL\`) before the answer ends. nginx does none of that; it is the yardstick because it is the least that a proxy costs.

\`npm run bench\` writes this file; do not edit it by hand. Absolute figures depend on the machine; ratios depend on it much less.`;

function caseTable({ cases }: Result): string {
  const rows = cases.flatMap((one) =>
    summarise(one).map((summary, index) => [
      index === 0 ? one.title : "",
      names[summary.contender],
      spread(summary.cpuMicros, 1),
      summary.contender === "tollgate" ? spread(summary.ratio, 2) : "",
      whole(summary.callsPerSecond),
      `${fixed(summary.p50Ms, 2)} / ${fixed(summary.p99Ms, 2)}`,
    ]),
  );
  const head = ["", "", "CPU µs a call", "÷ nginx", "calls/s", "p50 / p99 ms"];
  return `Medians over the rounds, with the lowest and the highest in parentheses.\n\n${table(head, rows)}`;
}

function memoryTable(memory: MemoryResult): string {
  const perStream = ((memory.streamsMiB - memory.restedMiB) / memory.streams) * 1_024;
  return table(
    ["", "RSS MiB"],
    [
      ["idle", fixed(memory.idleMiB, 0)],
      [
        `during ${whole(memory.calls)} calls, median (highest)`,
        `${fixed(memory.duringMiB.median, 0)} (${fixed(memory.duringMiB.most, 0)})`,
      ],
      [`right after ${whole(memory.calls)} calls, 64 at once`, fixed(memory.afterMiB, 0)],
      ["at rest again", fixed(memory.restedMiB, 0)],
      [
        `${whole(memory.streams)} streams open (${fixed(perStream, 0)} KiB a stream; ` +
          `longest wait for a first byte ${whole(memory.firstByteMaxMs)} ms)`,
        fixed(memory.streamsMiB, 0),
      ],
    ],
  );
}

function stallTable({ callsPerSecond, idle, busy, control }: StallResult): string {
  const row = (what: string, latency: Latency): string[] => [
    what,
    ...[latency.p50Ms, latency.p99Ms, latency.p999Ms, latency.maxMs].map((ms) => fixed(ms, 2)),
  ];
  const load = `${whole(callsPerSecond)} calls/s`;
  return `\`GET /healthz\` needs only the relaying thread, so it waits exactly as long as that thread is busy with other work. A separate process sends it every 2 ms on one connection, and counts the time from when the request was due. Waits that appear under nginx as well come from the machine.\n\n${table(
    ["", "p50 ms", "p99 ms", "p99.9 ms", "longest ms"],
    [
      row("Tollgate, idle", idle),
      row(`Tollgate, ${load} charged and logged`, busy),
      ...(control === null ? [] : [row(`nginx, ${load} passed on`, control)]),
    ],
  )}`;
}

function ledgerTable({ ledgers }: Result): string {
  return `Each load ends with a count and an audit. A run writes no report when a call is missing, when there is one too many, when a hold is still open, or when \`tollgate audit\` finds a flaw.\n\n${table(
    ["load", "calls answered", "rows charged", "audit", "took s"],
    ledgers.map(({ load, calls, rows, audit, auditSeconds }) => [
      load,
      whole(calls),
      whole(rows),
      audit,
      fixed(auditSeconds, 1),
    ]),
  )}`;
}

function aboutTable({ about, cases }: Result): string {
  const repeated = cases.reduce((sum, one) => sum + one.repeated, 0);
  const other = cases.length === 0 ? "" : fixed(otherCoresOf(cases), 2);
  return table(
    ["", ""],
    [
      ["machine", `${about.cpu}, ${about.cores} cores, ${about.memoryGiB} GiB`],
      ["kernel", about.kernel],
      ["versions", `Bun ${about.bun}, ${about.nginx ?? "no nginx on this machine"}`],
      ["commit", about.commit],
      ["date", about.date],
      ["extent", `${about.extent}; ${about.rounds} rounds of ${about.sampleMs / 1_000} s a sample`],
      ["cores other programs used, median", other],
      ["samples repeated because of them", whole(repeated)],
    ],
  );
}

const method = `## Method

- Everything runs on loopback, each as one process: the scripted demo upstream (\`demo/src/\`), nginx, Tollgate and the load generator (\`bench/load/generator.ts\`). nginx keeps connections to the upstream alive, logs nothing, holds bodies in memory, and passes events on at once (\`proxy_buffering off\`).
- Upstream, nginx and Tollgate are measured in turn, and each round begins with another one. CPU is the user and system time of all threads of a process (\`/proc/PID/stat\`, before and after), divided by the calls answered. A ratio is taken within a round; the report gives the median of the ratios.
- Tollgate has relayed 60,000 small calls (20,000 with \`--quick\`) before the first sample, and calls of each case for 1 s (0.5 s) before that case. A call costs half more while the runtime compiles, and no less after some 50,000 calls, so the figures are those of a gateway that has run for hours. Memory is measured in a fresh process. The long log is read in a process that was restarted and has relayed for 5 s.
- The generator sends the next call of a connection when the previous one is answered, reads every answer to its end, and fails the run when an answer is not a whole 200. So it counts every call, and the ledger must have exactly these.
- A sample during which other programs used more than 0.12 core is taken again, up to three times; on a machine that is never quiet the least disturbed sample counts.
- The upstream is a TypeScript program too. Where upstream, generator and the measured process share few cores, calls/s and latencies say more about the machine than about that process; CPU per call does not.
- \`npm run bench -- --against <commit>\` compares the product of two commits and writes no report.
- \`npm run bench -- --quick\` takes two minutes, leaves the long log out and writes to \`data/bench/\`. \`--case <name>\` runs one part: ${partNames.map((name) => `\`${name}\``).join(", ")}. \`--case logs\` renews what this page says of the long log on SQLite, with \`--database postgres\` on PostgreSQL; \`--rows 1000000\` shortens the log; with fewer rows it writes to \`data/bench/\`.`;

function spread(value: Spread | null, digits: number): string {
  if (value === null) return "";
  const { middle, least, most } = value;
  return `${fixed(middle, digits)} (${fixed(least, digits)}–${fixed(most, digits)})`;
}
