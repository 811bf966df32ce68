/** Formats tables and numbers as Markdown. */

import { join } from "node:path";
import type { Target } from "./summary.ts";

const root = join(import.meta.dir, "..");

/** Formats a file of a report, because the format check of every commit requires aligned tables. */
export function formatMarkdown(file: string): void {
  const program = join(root, "node_modules/oxfmt/bin/oxfmt");
  Bun.spawnSync([process.execPath, "--bun", program, file], { cwd: root });
}

/**
 * Formats a table as Markdown, with aligned columns.
 * @param rows cells; the first column holds words, the others hold figures.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join(" | ")} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

export function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function targetTable(targets: readonly Target[]): string {
  const rows = targets.map(({ what, most, unit, measured }) => {
    const shown =
      measured === null ? "not measured" : `${fixed(measured, unit === "MiB" ? 0 : 2)} ${unit}`;
    const verdict = measured === null ? "" : measured <= most ? "yes" : "no";
    return [what, `≤ ${most} ${unit}`, shown, verdict];
  });
  return table(["", "target", "measured", "met"], rows);
}
