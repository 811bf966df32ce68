/** A register of the fields and sections that a form currently draws. */

import { fieldId, type FieldNote, type SectionNote } from "./form-context.ts";

type SectionList = readonly (readonly [id: string, note: SectionNote])[];

export type FormNotes = {
  readonly formId: string;
  readonly fields: Map<string, FieldNote>;
  readonly sections: Map<string, SectionNote>;
  /**
   * Calls the listener when sections register. The links to sections need it, because they are
   * drawn before the sections are.
   */
  readonly subscribeSections: (listener: () => void) => () => void;
  readonly readSections: () => SectionList;
  /** Registers a field while it is drawn; returns the function that unregisters it. */
  readonly noteField: (name: string, note: FieldNote) => () => void;
  readonly noteSection: (id: string, note: SectionNote) => () => void;
};

export function openNotes(formId: string): FormNotes {
  const fields = new Map<string, FieldNote>();
  const sections = new Map<string, SectionNote>();
  const listeners = new Set<() => void>();
  let list: SectionList = [];
  const tell = () => {
    list = [...sections];
    for (const listener of listeners) listener();
  };
  return {
    formId,
    fields,
    sections,
    subscribeSections(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readSections: () => list,
    noteField: (name, note) => noteIn(fields, name, note),
    noteSection(id, note) {
      const forget = noteIn(sections, id, note);
      tell();
      return () => {
        forget();
        tell();
      };
    },
  };
}

function noteIn<Note>(notes: Map<string, Note>, name: string, note: Note): () => void {
  notes.set(name, note);
  return () => {
    if (notes.get(name) === note) notes.delete(name);
  };
}

/** Returns the labels of the fields with these names, in the order of the page. */
export function labelsOf(notes: FormNotes, names: readonly string[]): string[] {
  return inOrder(notes, names).map((name) => notes.fields.get(name)?.label ?? name);
}

/**
 * Opens the sections that contain these fields and moves the focus to the first field in the order
 * of the page.
 */
export function showFields(notes: FormNotes, names: readonly string[]): void {
  for (const name of names) {
    const section = notes.fields.get(name)?.section ?? null;
    if (section !== null) notes.sections.get(section)?.unfold();
  }
  const first = inOrder(notes, names)[0];
  // Waits for the next frame, because a section that was just opened is not drawn before.
  if (first !== undefined) requestAnimationFrame(() => focusField(notes, first));
}

export function hasSecrets({ fields }: FormNotes): boolean {
  return [...fields.values()].some(({ secret }) => secret);
}

export function withoutSecrets(
  { fields }: FormNotes,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept = Object.entries(values).filter(([name]) => fields.get(name)?.secret !== true);
  return Object.fromEntries(kept);
}

function inOrder({ formId }: FormNotes, names: readonly string[]): string[] {
  const drawn = document.getElementById(formId)?.querySelectorAll<HTMLElement>("[data-field]");
  const order = [...(drawn ?? [])].map(({ dataset }) => dataset["field"] ?? "");
  return names.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}

const focusable = "input,textarea,select,button,[tabindex],[contenteditable=true]";

function focusField({ formId }: FormNotes, name: string): void {
  const frames = document.getElementById(formId)?.querySelectorAll<HTMLElement>("[data-field]");
  const frame = [...(frames ?? [])].find(({ dataset }) => dataset["field"] === name);
  const control = document.getElementById(fieldId(formId, name));
  const target =
    control?.matches(focusable) === true ? control : frame?.querySelector<HTMLElement>(focusable);
  frame?.scrollIntoView({ block: "center" });
  target?.focus({ preventScroll: true });
}
