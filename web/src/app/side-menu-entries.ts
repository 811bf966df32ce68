import type { Status } from "contract/status.ts";
import { role, type ShortUser } from "contract/users.ts";
import { type MenuGroup, type Screen, screens } from "./screens.ts";

/** Entries of a group that this user may open and the server has switched on, in their order. */
export function menuEntries(
  group: MenuGroup,
  session: ShortUser | null,
  status: Status | undefined,
) {
  return screens
    .flatMap((screen) => {
      const { menu } = screen;
      if (menu === null || menu.group !== group || !mayOpen(screen, session)) return [];
      const shown = menu.shown === undefined || (status !== undefined && menu.shown(status));
      return shown ? [{ screen, Icon: menu.icon, order: menu.order }] : [];
    })
    .toSorted((a, b) => a.order - b.order);
}

function mayOpen({ access }: Screen, session: ShortUser | null): boolean {
  if (access === "public") return true;
  return session !== null && session.role >= role.enum[access];
}
