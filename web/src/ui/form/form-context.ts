/** What fields and sections know of the form around them. */

import { createContext, use } from "react";
import type { Control, FieldValues } from "react-hook-form";

export type FieldNote = {
  readonly label: string;
  /** The id of the section that contains the field; null: none. */
  readonly section: string | null;
  /** Whether the field is a secret, which a draft never contains. */
  readonly secret: boolean;
};

export type SectionNote = { readonly title: string; readonly unfold: () => void };

export type FormWorkings = {
  readonly id: string;
  readonly control: Control<FieldValues>;
  /** Registers a field or section while it is drawn; returns the function that removes it. */
  readonly noteField: (name: string, note: FieldNote) => () => void;
  readonly noteSection: (id: string, note: SectionNote) => () => void;
  /** Section of each field, for the count of errors in a section's title. */
  readonly sectionOf: (name: string) => string | null;
  readonly setValue: (name: string, value: unknown) => void;
};

export const FormContext = createContext<FormWorkings | null>(null);
export const SectionContext = createContext<string | null>(null);

export function useFormWorkings(): FormWorkings {
  const workings = use(FormContext);
  if (workings === null) throw new Error("a field stands outside a form");
  return workings;
}

/** Id of a field's control, for labels and focus. */
export function fieldId(formId: string, name: string): string {
  return `${formId}-${name}`;
}

export function sectionDomId(formId: string, id: string): string {
  return `${formId}-section-${id}`;
}
