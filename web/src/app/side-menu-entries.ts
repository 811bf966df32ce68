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
      return isShown(menu.shown, status) ? [{ screen, Icon: menu.icon, order: menu.order }] : [];
    })
    .toSorted((a, b) => a.order - b.order);
}

/** Whether the screen is for this user, or for the visitor that null is. */
export function mayOpen({ access }: Screen, session: ShortUser | null): boolean {
  if (access === "public") return true;
  return session !== null && session.role >= role.enum[access];
}

/** Whether the server has switched it on; until it has said so, it has not. */
export function isShown(
  shown: ((status: Status) => boolean) | undefined,
  status: Status | undefined,
): boolean {
  return shown === undefined || (status !== undefined && shown(status));
}
