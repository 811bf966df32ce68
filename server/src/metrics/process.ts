/**
 * What the process itself takes, under the names that Prometheus's own libraries use, and which
 * program it is.
 */

import { readdirSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";
import { descriptorsMax, lacksDescriptors } from "#base/process/descriptors.ts";

type Program = { readonly version: string; readonly commit: string };

export function watchProcess(registry: Registry, { version, commit }: Program): void {
  const registers = [registry];
  const info = new Gauge({
    name: "tollgate_build_info",
    help: "1, with the version of the program and the commit it was built from.",
    labelNames: ["version", "commit"],
    registers,
  });
  info.set({ version, commit }, 1);
  const cpu: Counter = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1_000_000);
    },
  });
  const watch = (name: string, help: string, read: () => number) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers,
      collect() {
        try {
          gauge.set(read());
        } catch {
          // Some are read from files, and no further file may be open: the last value stays, and
          // all others are told.
        }
      },
    });
  };
  const startedAt = Date.now() / 1_000 - process.uptime();
  watch(
    "process_start_time_seconds",
    "When the process started, in Unix seconds.",
    () => startedAt,
  );
  watch("process_resident_memory_bytes", "Memory of the process that is in RAM.", () =>
    process.memoryUsage.rss(),
  );
  if (process.platform !== "linux") return;
  const filesMax = descriptorsMax();
  watch("process_open_fds", "Open file descriptors.", () =>
    lacksDescriptors() ? filesMax : readdirSync("/proc/self/fd").length,
  );
  watch("process_max_fds", "The most file descriptors that may be open.", () => filesMax);
}
