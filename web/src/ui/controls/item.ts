import type { ReactNode } from "react";

/** A choice of a select, a combobox, a segmented control or tabs. */
export type Item<Value extends string | number = string> = {
  readonly value: Value;
  readonly label: string;
  /** A second, smaller text below the label. */
  readonly hint?: string | undefined;
  /** Further words by which a search finds the choice; they are not shown. */
  readonly words?: string | undefined;
  readonly icon?: ReactNode;
  readonly disabled?: boolean | undefined;
};
