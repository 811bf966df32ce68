/** The context by which fields and sections reach the form around them. */

import { createContext, use } from "react";
import type { Control, FieldValues } from "react-hook-form";

export type FieldNote = {
  readonly label: string;
  /** The id of the section that contains the field; null: it is in no section. */
  readonly section: string | null;
  /** Whether the field is a secret, which a draft never contains. */
  readonly secret: boolean;
};

export type SectionNote = { readonly title: string; readonly unfold: () => void };

export type FormWorkings = {
  readonly id: string;
  readonly control: Control<FieldValues>;
  /** Registers a field while it is drawn; returns the function that unregisters it. */
  readonly noteField: (name: string, note: FieldNote) => () => void;
  readonly noteSection: (id: string, note: SectionNote) => () => void;
  /**
   * Returns the section that contains a field, which is needed to count the errors in a section.
   */
  readonly sectionOf: (name: string) => string | null;
  readonly setValue: (name: string, value: unknown) => void;
  /**
   * Shows a refusal of the server at the field that it names, and moves the focus there. Returns
   * false if the form has no such field; then nothing is shown.
   */
  readonly showRefusal: (error: unknown) => boolean;
  /** Removes the refusals from the fields, such as before what was refused is tried again. */
  readonly clearRefusals: () => void;
};

export const FormContext = createContext<FormWorkings | null>(null);
export const SectionContext = createContext<string | null>(null);

export function useFormWorkings(): FormWorkings {
  const workings = use(FormContext);
  if (workings === null) throw new Error("a field stands outside a form");
  return workings;
}

/** Returns the DOM id of a field's control, for labels and for moving the focus. */
export function fieldId(formId: string, name: string): string {
  return `${formId}-${name}`;
}

export function sectionDomId(formId: string, id: string): string {
  return `${formId}-section-${id}`;
}
