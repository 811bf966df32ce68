/** Takes the pictures of `docs/changes/`, in the same states on two commits. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, test } from "@playwright/test";
import type { Change } from "./change.ts";
import { newcomerChanges } from "./list-newcomers.ts";
import { screenChanges } from "./list-screens.ts";
import { trustChanges } from "./list-trust.ts";
import { type Measured, writeReport } from "./report.ts";
import { openContext, type Scene, shoot } from "./scene.ts";
import { type Side, sides, siteOn } from "./sides.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const folder = join(root, "docs/changes");

/** Keeps the figures of earlier runs, so that a run of a few changes can write the whole page. */
const figuresFolder = join(root, "dist/changes");

const changes: readonly Change[] = [...trustChanges, ...newcomerChanges, ...screenChanges];

mkdirSync(folder, { recursive: true });
mkdirSync(figuresFolder, { recursive: true });

for (const { number, name, picture, figures } of changes) {
  for (const side of sides) {
    if (picture !== undefined) {
      test(`${number} ${name}, ${side}`, async ({ browser }) => {
        await onPage(browser, side, picture, async (scene) => {
          const part = await picture[side](scene);
          await shoot(scene.page, part, join(folder, `${number}-${name}-${side}.jpg`));
        });
      });
    }
    if (figures === undefined) continue;
    test(`${number} ${name}, figures ${side}`, async ({ browser }) => {
      await onPage(browser, side, figures, async (scene) => {
        writeFileSync(figuresFile(number, side), JSON.stringify(await figures.measure(scene)));
      });
    });
  }
}

test("the page of all changes", () => {
  const versions = {
    before: process.env["TOLLGATE_BEFORE_NAME"] ?? "an earlier version",
    after: `the version of ${new Date().toISOString().slice(0, 10)}`,
  };
  writeFileSync(join(folder, "README.md"), writeReport(changes, measuredOf, versions));
});

/** Opens a page of a side as a change needs it, and closes it again. */
async function onPage(
  browser: Browser,
  side: Side,
  {
    as = "root",
    isPhone = false,
    stage = "lively",
  }: NonNullable<Change["figures"]> | NonNullable<Change["picture"]>,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  const site = await siteOn(side, stage);
  const context = await openContext(browser, site, { as, isPhone });
  try {
    await use({ side, site, page: await context.newPage() });
  } finally {
    await context.close();
  }
}

function figuresFile(number: number, side: Side): string {
  return join(figuresFolder, `${number}-${side}.json`);
}

function measuredOf({ number }: Change): Measured {
  const read = (side: Side): Readonly<Record<string, string>> => {
    const file = figuresFile(number, side);
    // Safe cast: a test above wrote it.
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>)
      : {};
  };
  return { before: read("before"), after: read("after") };
}
