import { useCallback, useId, useMemo, useRef, useState } from "react";
import { type FieldErrors, type FieldValues, useForm } from "react-hook-form";
import type { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import type { ConfirmQuestion } from "#ui/overlays/ConfirmDialog.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { toast } from "#ui/overlays/toast.ts";
import { keepDraft } from "./draft.ts";
import type { FormWorkings } from "./form-context.ts";
import { useDraft, useUnloadGuard } from "./form-effects.ts";
import {
  type FormNotes,
  hasSecrets,
  labelsOf,
  openNotes,
  showFields,
  withoutSecrets,
} from "./form-notes.ts";
import { readForm } from "./read-form.ts";

type FormOptions<Form extends FieldValues, Value> = {
  /** The schema that checks the form; its output is the argument of `onSubmit`. */
  readonly schema: z.ZodType<Value>;
  /** The first values of the controls; when a record is edited, its values as they were read. */
  readonly values: Form;
  /**
   * Saves the value. A refusal that it throws is shown at the field that it names, or above the
   * form.
   */
  readonly onSubmit: (value: Value) => Promise<unknown>;
  /**
   * Resolves to whether the record has changed on the server since it was read. Called before each
   * save. `gone`: it is not there any more; nothing is saved, and the form is done.
   */
  readonly checkStale?: (() => Promise<boolean | "gone">) | undefined;
  /** What is asked before each save; null or absent: nothing. */
  readonly question?: ((value: Value) => ConfirmQuestion | null) | undefined;
  /** The key under which a draft is stored when the session ends; null: no draft is stored. */
  readonly draftId: string | null;
  /**
   * Whether the browser asks before the page is left with unsaved input. False for forms that
   * people often leave, such as sign-in.
   */
  readonly asksBeforeUnload?: boolean;
  /**
   * Whether a toast names the invalid fields. False for forms that are seen whole, such as sign-in:
   * each field shows its fault itself, and a toast could cover the button to try again.
   */
  readonly namesFaults?: boolean;
};

/** A failure that concerns no single field, shown above the form. */
type FormFailure = { readonly error: Error } | { readonly message: string };

type Ask = (question: ConfirmQuestion) => Promise<boolean>;

export type RecordForm = {
  readonly id: string;
  readonly workings: FormWorkings;
  readonly ask: Ask;
  /**
   * Sets the function that asks the user. The form element calls it, because a question must be
   * drawn inside the form's sheet.
   */
  readonly provideAsk: (ask: Ask) => void;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly failure: FormFailure | null;
  /**
   * Not null: a draft was restored. `hasSecrets`: the form has secrets, which have to be typed
   * again because drafts do not contain them.
   */
  readonly restored: { readonly hasSecrets: boolean } | null;
  readonly discardDraft: () => void;
  /** Checks and saves the form; resolves to whether it was saved. */
  readonly submit: () => Promise<boolean>;
  readonly notes: FormNotes;
};

/**
 * Returns the state and the actions of a form, without any markup; `FormSheet` and `PlainForm` draw
 * it.
 */
export function useRecordForm<Form extends FieldValues, Value>(
  options: FormOptions<Form, Value>,
): RecordForm {
  const t = useT();
  const id = useId();
  const [notes] = useState(() => openNotes(id));
  const [restored, setRestored] = useState<RecordForm["restored"]>(null);
  const { ask, provideAsk } = useAsk();
  const form = useForm<FieldValues>({
    defaultValues: options.values,
    shouldFocusError: false,
    resolver: (values) => resolve(options.schema, values, t),
  });
  const { isDirty, isSubmitting } = form.formState;
  const workings = useWorkings(form, notes);

  const readDraft = () => (isDirty ? withoutSecrets(notes, form.getValues()) : null);
  useDraft(options.draftId, readDraft, (draft) => {
    const names = Object.keys(draft).filter((name) => name in options.values);
    for (const name of names) form.setValue(name, draft[name], { shouldDirty: true });
    if (names.length > 0) setRestored({ hasSecrets: hasSecrets(notes) });
  });
  useUnloadGuard(isDirty && options.asksBeforeUnload !== false);

  const { failure, submit } = useSubmit({
    run: (onValid, onInvalid) => form.handleSubmit(onValid, onInvalid)(),
    options,
    notes,
    ask,
    // The schema reads the values a second time here, because the form library does not keep the
    // resolver's output.
    read: () => readForm(options.schema, form.getValues(), t),
    showRefusal: workings.showRefusal,
    keep: () => options.draftId !== null && keepDraft(options.draftId, readDraft()),
  });

  return {
    id,
    workings,
    ask,
    provideAsk,
    isDirty,
    isSaving: isSubmitting,
    failure,
    restored,
    discardDraft: () => {
      form.reset(options.values);
      setRestored(null);
    },
    submit,
    notes,
  };
}

function resolve<Value>(schema: z.ZodType<Value>, values: FieldValues, t: T) {
  const reading = readForm(schema, values, t);
  if ("value" in reading) return { values, errors: {} };
  const errors: FieldErrors = {};
  for (const { name, message } of reading.problems) {
    errors[name === "" ? "root" : name] = { type: "schema", message };
  }
  return { values: {}, errors };
}

function useAsk(): Pick<RecordForm, "ask" | "provideAsk"> {
  const asker = useRef<Ask>(() => Promise.resolve(true));
  const ask = useCallback<Ask>((question) => asker.current(question), []);
  const provideAsk = useCallback((given: Ask) => {
    asker.current = given;
  }, []);
  return { ask, provideAsk };
}

function useWorkings(form: ReturnType<typeof useForm<FieldValues>>, notes: FormNotes) {
  const { clearErrors, control, setError, setValue } = form;
  return useMemo<FormWorkings>(() => {
    const refused = new Set<string>();
    return {
      id: notes.formId,
      control,
      noteField: notes.noteField,
      noteSection: notes.noteSection,
      sectionOf: (name) => notes.fields.get(name)?.section ?? null,
      setValue: (name, value) => setValue(name, value, { shouldDirty: true, shouldValidate: true }),
      showRefusal(error) {
        const name = fieldOf(error);
        if (!notes.fields.has(name)) return false;
        refused.add(name);
        setError(name, { type: "server", message: describeError(error).title });
        showFields(notes, [name]);
        return true;
      },
      clearRefusals() {
        clearErrors([...refused]);
        refused.clear();
      },
    };
  }, [clearErrors, control, setError, setValue, notes]);
}

/** The field that a refusal of the server names; empty: none. */
function fieldOf(error: unknown): string {
  const named = typeof error === "object" && error !== null && "field" in error ? error.field : "";
  return typeof named === "string" ? named : "";
}

/**
 * Submits a form: checks the values, asks the user if the record is stale
 * or the form has a question, saves, and shows errors
 * at their fields or above the form.
 */
function useSubmit<Form extends FieldValues, Value>(of: {
  run: (onValid: () => Promise<void>, onInvalid: (errors: FieldErrors) => void) => Promise<unknown>;
  options: FormOptions<Form, Value>;
  notes: FormNotes;
  ask: Ask;
  read: () => ReturnType<typeof readForm<Value>>;
  showRefusal: FormWorkings["showRefusal"];
  keep: () => unknown;
}): Pick<RecordForm, "failure" | "submit"> {
  const { options, notes, ask } = of;
  const t = useT();
  const [failure, setFailure] = useState<FormFailure | null>(null);
  /**
   * True while a submit runs, also while it asks about a stale record. Further submits are then
   * ignored.
   */
  const isBusy = useRef(false);

  function handleInvalid(errors: FieldErrors): void {
    const names = Object.keys(errors).filter((name) => notes.fields.has(name));
    const lost = Object.entries(errors).find(([name]) => !notes.fields.has(name));
    if (lost !== undefined) setFailure({ message: messageOf(lost[1]) });
    if (names.length === 0) return;
    showFields(notes, names);
    // The only field of a form says itself what is wrong; a toast could cover it.
    if (options.namesFaults === false || notes.fields.size === 1) return;
    const fields = labelsOf(notes, names).join(t("ui.formListSeparator"));
    toast({ tone: "danger", title: t("ui.formCheckInput"), description: fields });
  }

  function handleRefusal(error: Error): void {
    if ("status" in error && error.status === 401) of.keep();
    if (!of.showRefusal(error)) setFailure({ error });
  }

  async function save(): Promise<boolean> {
    const reading = of.read();
    if ("problems" in reading) {
      // The form library keeps errors of fields only, so one that concerns the whole form is kept
      // here.
      setFailure({ message: reading.problems[0]?.message ?? "" });
      return false;
    }
    try {
      const stale = options.checkStale !== undefined && (await options.checkStale());
      if (stale === "gone") return true;
      if (stale && !(await ask(staleQuestion(t)))) return false;
      const question = options.question?.(reading.value) ?? null;
      if (question !== null && !(await ask(question))) return false;
      await options.onSubmit(reading.value);
      return true;
    } catch (error) {
      handleRefusal(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  async function submit(): Promise<boolean> {
    if (isBusy.current) return false;
    isBusy.current = true;
    setFailure(null);
    let saved = false;
    try {
      await of.run(async () => {
        saved = await save();
      }, handleInvalid);
    } finally {
      isBusy.current = false;
    }
    return saved;
  }

  return { failure, submit };
}

function staleQuestion(t: T): ConfirmQuestion {
  return {
    title: t("ui.formStaleTitle"),
    body: t("ui.formStaleBody"),
    confirmLabel: t("ui.formStaleOverwrite"),
    tone: "danger",
  };
}

function messageOf(error: unknown): string {
  const isRecord = typeof error === "object" && error !== null && "message" in error;
  return isRecord && typeof error.message === "string" ? error.message : "";
}
