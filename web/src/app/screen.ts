/** What a screen of the console is, and the sections of the side menu that lead to screens. */

import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { TextKey } from "#i18n/t.ts";

/** The lowest role that sees a screen; `public` needs no sign-in. */
type ScreenAccess = "public" | "user" | "admin" | "root";

/** The sections of the side menu in their default order; each user can change it. */
export const menuGroups = ["main", "chats", "manage"] as const;
export type MenuGroup = (typeof menuGroups)[number];

export type Screen = {
  readonly path: string;
  /** The text key of the screen's title, for the menu and the window's title. */
  readonly title: TextKey;
  readonly access: ScreenAccess;
  /** Null: it has no entry in the side menu. */
  readonly menu: {
    readonly group: MenuGroup;
    readonly icon: LucideIcon;
    readonly order: number;
  } | null;
  /**
   * Whether the server offers the screen at all; if absent, it always does. One that is switched off
   * has no entry in the menu and the palette, and refuses its address.
   */
  readonly offered?: (status: Status) => boolean;
  /**
   * `bare`: the screen has no side menu beside it. `light`: it has the light shell of the sign-in
   * screens, whose code is loaded first.
   */
  readonly frame?: "bare" | "light";
  /** What the placeholder looks like while the screen's code loads; left out: a page of text. */
  readonly outline?: "list" | "settings";
  readonly load: () => Promise<ComponentType>;
};
