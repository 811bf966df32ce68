/** The options being edited, shared by all sections of the settings. */

import type { OptionName } from "@tollgate/contract/options.ts";
import { createContext, type ReactNode, use } from "react";

/** Options by name, each as the API's text. */
export type OptionTextMap = Partial<Readonly<Record<OptionName, string>>>;

/** What the sections share: the stored values, the typed values, and their faults. */
export type OptionDrafts = {
  readonly stored: OptionTextMap;
  /** The typed value, or the stored one if nothing was typed. */
  readonly textOf: (name: OptionName) => string;
  readonly change: (name: OptionName, text: string) => void;
  readonly revert: (names: readonly OptionName[]) => void;
  readonly changedOf: (names: readonly OptionName[]) => OptionName[];
  readonly errorOf: (name: OptionName) => string | undefined;
  /** Whether a value of the secret is stored; the value itself is never answered. */
  readonly isSecretSet: (name: OptionName) => boolean;
  /** Removes the stored value, after a confirmation. */
  readonly clearSecret: (name: OptionName) => Promise<void>;
  /** Saves the changed options of a section, and shows the result. */
  readonly save: (names: readonly OptionName[]) => Promise<void>;
  readonly isSaving: boolean;
  /** Reads the options again, and everything that depends on them. */
  readonly reload: () => Promise<void>;
  /** The bot check with the keys to be saved, which root has to pass first; null: the keys stay. */
  readonly botTrial: ReactNode;
};

const DraftsContext = createContext<OptionDrafts | null>(null);
export const DraftsProvider = DraftsContext.Provider;

export function useDrafts(): OptionDrafts {
  const drafts = use(DraftsContext);
  if (drafts === null) throw new Error("outside of the settings");
  return drafts;
}
