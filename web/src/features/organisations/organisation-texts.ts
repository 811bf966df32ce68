/** How roles and states of organisations are named and coloured. */

import type { ProjectState } from "@tollgate/contract/endpoints/organisation-projects.ts";
import type { T, TextKey } from "#i18n/t.ts";
import { toastError, toastSaved } from "#ui/overlays/toast.ts";
import type { Tone } from "#ui/tone.ts";
import type { OwnRole } from "./organisations.api.ts";

export const roleTexts = {
  owner: "organisations.owner",
  admin: "organisations.admin",
  billing: "organisations.billing",
  developer: "organisations.developer",
  reader: "organisations.reader",
  root: "organisations.root",
} as const satisfies Readonly<Record<OwnRole, TextKey>>;

type Look = { readonly text: TextKey; readonly tone: Tone };

export const projectLooks = {
  open: { text: "organisations.open", tone: "success" },
  suspended: { text: "organisations.suspended", tone: "warning" },
  closed: { text: "organisations.closed", tone: "neutral" },
} as const satisfies Readonly<Record<ProjectState, Look>>;

/** Makes a change, and says that it was made or why not. */
export async function change(t: T, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
    toastSaved(t("organisations.saved"));
  } catch (error) {
    toastError(error);
  }
}
