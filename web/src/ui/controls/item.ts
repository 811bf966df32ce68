import type { ReactNode } from "react";

/** A choice of a select, a combobox, a segmented control or tabs. */
export type Item<Value extends string | number = string> = {
  readonly value: Value;
  readonly label: string;
  /** Shown below the label, smaller. */
  readonly hint?: string | undefined;
  readonly icon?: ReactNode;
  readonly disabled?: boolean | undefined;
};
