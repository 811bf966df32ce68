/** The options being edited, shared by all sections of the settings. */

import type { OptionName } from "@tollgate/contract/options/options.ts";
import { createContext, type ReactNode, use } from "react";

/** Options by name; each value is in the text form of the API. */
export type OptionTextMap = Partial<Readonly<Record<OptionName, string>>>;

/** What all sections share: the stored values of the options, the typed ones, and their errors. */
export type OptionDrafts = {
  readonly stored: OptionTextMap;
  /** Returns the typed value, or the stored one if nothing was typed. */
  readonly textOf: (name: OptionName) => string;
  readonly change: (name: OptionName, text: string) => void;
  readonly revert: (names: readonly OptionName[]) => void;
  readonly changedOf: (names: readonly OptionName[]) => OptionName[];
  readonly errorOf: (name: OptionName) => string | undefined;
  /** Whether a value of the secret option is stored. The server never sends the value itself. */
  readonly isSecretSet: (name: OptionName) => boolean;
  /** Removes the stored value of a secret option, after the user has confirmed. */
  readonly clearSecret: (name: OptionName) => Promise<void>;
  /** Saves those of the named options that have changed, and shows the result. */
  readonly save: (names: readonly OptionName[]) => Promise<void>;
  readonly isSaving: boolean;
  /** Reads the options again, and everything that depends on options. */
  readonly reload: () => Promise<void>;
  /**
   * The bot check with the keys that are about to be saved: root has to pass it first, so that a
   * wrong key cannot lock everybody out. Null: the keys of the check do not change.
   */
  readonly botTrial: ReactNode;
};

const DraftsContext = createContext<OptionDrafts | null>(null);
export const DraftsProvider = DraftsContext.Provider;

export function useDrafts(): OptionDrafts {
  const drafts = use(DraftsContext);
  if (drafts === null) throw new Error("outside of the settings");
  return drafts;
}
