import { type SubmitEvent, useRef, useState } from "react";
import type { z } from "zod";
import { useT } from "#i18n/t.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import { toast } from "#ui/overlays/toast.ts";

type Faults<Form> = Readonly<Partial<Record<keyof Form & string, string>>>;

/**
 * Keeps the form of a dialog with few fields: validates what was typed, sends it, and shows errors
 * at the fields. Forms on a page or in a sheet use the form kit instead.
 */
export function useDialogForm<Form extends Readonly<Record<string, unknown>>, Value>(of: {
  readonly empty: Form;
  readonly schema: z.ZodType<Value>;
  /** The field at which a refusal is shown that names no field of this form. */
  readonly refusedField: keyof Form & string;
  readonly send: (value: Value) => Promise<unknown>;
  /** The message that says that it was sent; absent: none, or `onSent` shows one. */
  readonly sentText?: string;
  readonly onSent: () => void;
}) {
  const t = useT();
  const [typed, setTyped] = useState(of.empty);
  const [faults, setFaults] = useState(noFaults<Form>);
  const [isSending, setSending] = useState(false);
  const element = useRef<HTMLFormElement>(null);

  /** Shows these errors, and focuses the first field that has one. */
  function tell(wrong: Faults<Form>): void {
    setFaults(wrong);
    const [first] = Object.keys(wrong);
    element.current?.querySelector<HTMLElement>(`[data-field="${first}"] input`)?.focus();
  }

  async function submit() {
    if (isSending) return;
    const parsed = of.schema.safeParse(typed);
    if (!parsed.success) {
      tell(faultsOf<Form>(parsed.error));
      return;
    }
    setSending(true);
    setFaults(noFaults());
    try {
      await of.send(parsed.data);
      if (of.sentText !== undefined) toast({ tone: "success", title: of.sentText });
      of.onSent();
    } catch (error) {
      const field = fieldOf(error);
      const title = describeError(error).title || t("ui.formInvalidValue");
      const name = field in of.empty ? field : of.refusedField;
      // Safe cast: `name` is a key of `of.empty`, which is a `Form`.
      tell({ [name]: title } as Faults<Form>);
    } finally {
      setSending(false);
    }
  }

  return {
    element,
    typed,
    faults,
    isSending,
    tell,
    change(patch: Partial<Form>) {
      setTyped({ ...typed, ...patch });
      const left = Object.entries(faults).filter(([name]) => !(name in patch));
      // Safe cast: the copy only lacks some of the errors.
      setFaults(Object.fromEntries(left) as Faults<Form>);
    },
    handleSubmit(event: SubmitEvent<HTMLFormElement>) {
      event.preventDefault();
      void submit();
    },
  };
}

function noFaults<Form>(): Faults<Form> {
  return faultsOf(null);
}

/** Returns the first error message of each field. */
function faultsOf<Form>(error: z.ZodError | null): Faults<Form> {
  const faults: Record<string, string> = {};
  for (const { path, message } of error?.issues ?? []) faults[String(path[0])] ??= message;
  // Safe cast: the paths of the schema's issues are names of the form's fields.
  return faults as Faults<Form>;
}

/** Returns the field that the server named in its refusal; empty: it named none. */
function fieldOf(error: unknown): string {
  const isNamed = typeof error === "object" && error !== null && "field" in error;
  return isNamed && typeof error.field === "string" ? error.field : "";
}
