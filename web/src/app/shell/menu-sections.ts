/**
 * The order of the side menu's sections, and which of them are folded, as the user chose in this
 * browser.
 */

import { useSyncExternalStore } from "react";
import { openStore } from "#api/store.ts";
import { type MenuGroup, menuGroups } from "#app/screen.ts";
import { storageKey } from "#page/base-path.ts";

export const menuSectionsKey = storageKey("side-menu-sections");

type MenuSections = {
  readonly order: readonly MenuGroup[];
  readonly closed: readonly MenuGroup[];
};

const store = openStore<MenuSections>(readMenuSections(localStorage.getItem(menuSectionsKey)));

export function useMenuSections(): MenuSections {
  return useSyncExternalStore(store.subscribe, store.read);
}

export function changeMenuSections(change: (before: MenuSections) => MenuSections): void {
  const sections = change(store.read());
  localStorage.setItem(menuSectionsKey, JSON.stringify(sections));
  store.write(sections);
}

/** Reads the stored sections. Sections that no longer exist are dropped, and new ones come last. */
export function readMenuSections(stored: string | null): MenuSections {
  const { order, closed } = readLists(stored);
  const known = menuGroups.filter((group) => order.includes(group));
  const inOrder = known.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return {
    order: [...inOrder, ...menuGroups.filter((group) => !order.includes(group))],
    closed: menuGroups.filter((group) => closed.includes(group)),
  };
}

function readLists(stored: string | null): { order: unknown[]; closed: unknown[] } {
  try {
    const value: unknown = JSON.parse(stored ?? "null");
    if (typeof value !== "object" || value === null) return { order: [], closed: [] };
    const lists: { order?: unknown; closed?: unknown } = value;
    return {
      order: Array.isArray(lists.order) ? lists.order : [],
      closed: Array.isArray(lists.closed) ? lists.closed : [],
    };
  } catch {
    return { order: [], closed: [] };
  }
}

export function withOpen(sections: MenuSections, group: MenuGroup, open: boolean): MenuSections {
  const others = sections.closed.filter((one) => one !== group);
  return { ...sections, closed: open ? others : [...others, group] };
}

/**
 * Moves a section `step` places among the shown sections: it changes places with the one that is
 * there.
 */
export function moved(
  sections: MenuSections,
  group: MenuGroup,
  step: -1 | 1,
  shown: readonly MenuGroup[],
): MenuSections {
  const other = shown[shown.indexOf(group) + step];
  if (other === undefined) return sections;
  const swap = (one: MenuGroup): MenuGroup => (one === group ? other : one === other ? group : one);
  return { ...sections, order: sections.order.map(swap) };
}
