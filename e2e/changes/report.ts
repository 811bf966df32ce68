/** The page that compares two versions of the console by pictures and figures. */

import type { Change } from "./change.ts";
import { type Side, sides } from "./sides.ts";

/** What was measured of a change: by side, texts by what they say. */
export type Measured = Readonly<Record<Side, Readonly<Record<string, string>>>>;

type Versions = Readonly<Record<Side, string>>;

const headings: Readonly<Record<Side, string>> = { before: "Before", after: "After" };

export function writeReport(
  changes: readonly Change[],
  measuredOf: (change: Change) => Measured,
  versions: Versions,
): string {
  return `# What changed in the console between two versions

Before: ${versions.before}. After: ${versions.after}. Written by \`npm run pictures -- --changes\`, which builds both
versions, fills both with the same users, channels and calls, and brings both into the same states.

${changes.map((change) => sectionOf(change, measuredOf)).join("\n")}`;
}

function sectionOf(change: Change, measuredOf: (change: Change) => Measured): string {
  const { number, title, was, now, picture, figures, noPicture } = change;
  return [
    `## ${number}. ${title}\n`,
    `Before: ${was}\n`,
    `Now: ${now}\n`,
    ...(picture === undefined ? [] : [pictureTable(change)]),
    ...(noPicture === undefined ? [] : [`No picture: ${noPicture}\n`]),
    ...(figures === undefined ? [] : [figureTable(measuredOf(change))]),
  ].join("\n");
}

function pictureTable({ number, name }: Change): string {
  const cells = sides.map((side) => `![${headings[side]}](${number}-${name}-${side}.jpg)`);
  return `| ${sides.map((side) => headings[side]).join(" | ")} |
| --- | --- |
| ${cells.join(" | ")} |
`;
}

function figureTable(measured: Measured): string {
  const rows = Object.keys(measured.after).map(
    (what) => `| ${what} | ${sides.map((side) => measured[side][what] ?? "–").join(" | ")} |`,
  );
  return `| | Before | After |
| --- | --- | --- |
${rows.join("\n")}
`;
}
