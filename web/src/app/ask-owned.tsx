import { listOwned, type OwnedThing } from "@tollgate/contract/endpoints/configuration.ts";
import { call } from "#api/call.ts";
import type { Touched } from "#api/owned.ts";
import { t } from "#i18n/t.ts";
import { topScope } from "#ui/overlays/scopes.ts";

/**
 * Asks whether to change what a configuration file owns.
 *
 * @returns true as well if no file owns it, or if that cannot be read.
 */
export async function askOwned(touched: Touched): Promise<boolean> {
  const all = await call(listOwned, {}).catch((): OwnedThing[] => []);
  const owned = all.filter((thing) => isTouched(thing, touched));
  const [first] = owned;
  if (first === undefined) return true;
  return await topScope().confirm({
    title: t("shell.ownedTitle", { name: first.name, count: owned.length }),
    body: t("shell.ownedBody", { source: first.source }),
    confirmLabel: t("shell.ownedChange"),
  });
}

function isTouched({ kind, id, name }: OwnedThing, touched: Touched): boolean {
  if (kind !== touched.kind) return false;
  return touched.kind === "channel" ? touched.ids.includes(id) : touched.names.includes(name);
}
