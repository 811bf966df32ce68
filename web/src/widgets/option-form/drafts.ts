/** Options while they are edited: shared by every section of the settings. */

import type { OptionName } from "@tollgate/contract/options.ts";
import { createContext, type ReactNode, use } from "react";

/** Options by name, each as the API's text. */
export type OptionTextMap = Partial<Readonly<Record<OptionName, string>>>;

/** What the sections share: what is stored, what was typed, and what was wrong with it. */
export type OptionDrafts = {
  readonly stored: OptionTextMap;
  /** As typed, else as stored. */
  readonly textOf: (name: OptionName) => string;
  readonly change: (name: OptionName, text: string) => void;
  readonly revert: (names: readonly OptionName[]) => void;
  readonly changedOf: (names: readonly OptionName[]) => OptionName[];
  readonly errorOf: (name: OptionName) => string | undefined;
  /** Sends what was changed of a section, and says what became of it. */
  readonly save: (names: readonly OptionName[]) => Promise<void>;
  readonly isSaving: boolean;
  /** Reads the options again, and everything that depends on them. */
  readonly reload: () => Promise<void>;
  /** The bot check as it would be, to be passed before it is saved; null: it stays as it is. */
  readonly botTrial: ReactNode;
};

const DraftsContext = createContext<OptionDrafts | null>(null);
export const DraftsProvider = DraftsContext.Provider;

export function useDrafts(): OptionDrafts {
  const drafts = use(DraftsContext);
  if (drafts === null) throw new Error("outside of the settings");
  return drafts;
}
