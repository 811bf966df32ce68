import { type LucideIcon, MessagesSquare } from "lucide-react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import type { T } from "#i18n/t.ts";
import { chatLinks } from "#widgets/chat/chat-links.ts";
import type { MenuGroup, Screen } from "#app/screen.ts";
import { screens } from "#app/screens.ts";

type MenuEntry = {
  readonly to: string;
  readonly label: string;
  readonly Icon: LucideIcon;
};

/**
 * Returns the entries of a menu section, in order: those that the user may open and that the server
 * has switched on.
 */
export function menuEntries(
  group: MenuGroup,
  session: ShortUser | null,
  status: Status | undefined,
  t: T,
): MenuEntry[] {
  if (group === "chats") {
    return chatPages(status).map((page) => ({ ...page, Icon: MessagesSquare }));
  }
  // Who has not signed in has no menu, though some of its pages are open to everybody.
  if (session === null) return [];
  return screens
    .flatMap((screen) => {
      const { path, title, menu } = screen;
      if (menu === null || menu.group !== group || !mayOpen(screen, session)) return [];
      if (!isShown(screen, status)) return [];
      return [{ to: path, label: t(title), Icon: menu.icon, order: menu.order }];
    })
    .toSorted((a, b) => a.order - b.order);
}

/**
 * Returns the menu entries of the configured chat clients: the address, and the name that root gave
 * the client.
 */
export function chatPages(status: Status | undefined): { to: string; label: string }[] {
  return chatLinks(status?.chats ?? []).map(({ name }, index) => ({
    to: `/chat/${index}`,
    label: name,
  }));
}

/** Whether the user may see the screen; null: a visitor who is not signed in. */
export function mayOpen({ access }: Screen, session: ShortUser | null): boolean {
  if (access === "public") return true;
  return session !== null && session.role >= role.enum[access];
}

/** Whether the server offers the screen; true while the status is unknown. */
export function isOffered({ offered }: Screen, status: Status | undefined): boolean {
  return offered === undefined || status === undefined || offered(status);
}

/** Whether the menu and the palette show the screen; false while it is not known to be offered. */
export function isShown({ offered }: Screen, status: Status | undefined): boolean {
  return offered === undefined || (status !== undefined && offered(status));
}
