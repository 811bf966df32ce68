/** The products that are compared: of another version, and of this one. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { askForProduct, installedOf, serveProducts } from "#e2e/products.ts";
import { enliven } from "#e2e/lively.ts";
import { fillLists } from "#e2e/room.ts";
import { type Product, rootAccount, startProduct } from "#e2e/product.ts";
import { type Site, siteOf } from "#e2e/support.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The version before the changes, and this one. */
export const sides = ["before", "after"] as const;

export type Side = (typeof sides)[number];

/**
 * The states of an installation that pictures need: in use for some time, a demo that nobody has
 * used yet, and one that waits for its root account.
 */
type Stage = "lively" | "demo";

/** Returns the installation of a side. It is started when it is first asked for. */
export async function siteOn(side: Side, stage: Stage): Promise<Site> {
  // Safe cast: `install` describes these stages by `installedOf`.
  const installed = (await askForProduct(`/${side}/${stage}`)) as Parameters<typeof siteOf>[0];
  return siteOf(installed);
}

/** Returns the set-up link of an installation without accounts. */
export async function setupLinkOn(side: Side): Promise<string> {
  // Safe cast: `install` describes this stage by its link.
  return ((await askForProduct(`/${side}/new`)) as { readonly link: string }).link;
}

// oxlint-disable-next-line import/no-default-export -- Playwright calls it before the first worker
export default async function startSides(): Promise<() => Promise<void>> {
  return await serveProducts(install);
}

async function install(started: Product[], path: string): Promise<object> {
  const [, side, stage] = path.split("/");
  const start = async (options: Parameters<typeof startProduct>[0]): Promise<Product> => {
    const product = await startProduct({ ...options, folder: folderOn(side) });
    started.push(product);
    return product;
  };
  if (stage === "new") {
    const { output } = await start({});
    return { link: /http:\S+setup#token=\S+/.exec(output())?.[0] ?? "" };
  }
  const installed = await installedOf(
    await start({ demo: true, account: rootAccount }),
    side === "after",
  );
  if (stage === "lively") {
    const site = siteOf(installed);
    await enliven(site);
    await fillLists(site);
  }
  return installed;
}

/** Returns the folder of the repository that a side is built from. */
export function folderOn(side: string | undefined): string {
  const before = process.env["TOLLGATE_BEFORE_FOLDER"];
  if (before === undefined) throw new Error("Run npm run pictures -- --changes.");
  return side === "before" ? before : root;
}
