/** An icon for each kind of command, so that the kinds are easy to tell apart. */

import {
  Bell,
  Copy,
  FlaskConical,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Network,
  Plus,
  ScrollText,
  SlidersHorizontal,
  User,
} from "lucide-react";
import type { ReactNode } from "react";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { themeIcons } from "#app/shell/theme-names.ts";
import type { Action, Look } from "./palette-commands.ts";
import type { RecentEntry } from "./palette-recent.ts";
import type { RecordKind } from "./palette-records.ts";

export const drawIcon = (Icon: LucideIcon): ReactNode => <Icon size={14} aria-hidden />;

export const settingIcon = drawIcon(SlidersHorizontal);

export const actionIcons: Readonly<Record<Action["kind"], ReactNode>> = {
  open: drawIcon(Plus),
  "test-all": drawIcon(FlaskConical),
  "copy-address": drawIcon(Copy),
  notice: drawIcon(Bell),
  "sign-out": drawIcon(LogOut),
};

export const recordIcons: Readonly<Record<RecordKind, ReactNode>> = {
  channel: drawIcon(Network),
  log: drawIcon(ScrollText),
  token: drawIcon(KeyRound),
  user: drawIcon(User),
};

export function lookIcon(look: Look): ReactNode {
  return drawIcon(look.kind === "language" ? Languages : themeIcons[look.theme]);
}

/**
 * Returns the icon of a recent entry. `pageIcon` gives the icon of a page, or undefined if the
 * console does not offer the page any more.
 */
export function recentIcon(
  { kind, address, label }: RecentEntry,
  pageIcon: (address: string) => LucideIcon | undefined,
): ReactNode {
  if (kind === "model") return <ModelMark model={label} />;
  if (kind === "setting") return settingIcon;
  // Safe cast: the condition has checked the kind.
  if (Object.hasOwn(recordIcons, kind)) return recordIcons[kind as RecordKind];
  const Icon = pageIcon(address);
  return Icon === undefined ? null : drawIcon(Icon);
}
