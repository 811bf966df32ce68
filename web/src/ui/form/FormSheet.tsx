import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import type { FieldValues } from "react-hook-form";
import type { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { ConfirmQuestion } from "#ui/overlays/ConfirmDialog.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { isLeavingToSignIn } from "./draft.ts";
import { FormBody } from "./FormBody.tsx";
import { SectionAnchors } from "./SectionAnchors.tsx";
import { type RecordForm, useRecordForm } from "./use-record-form.ts";

type FormSheetProps<Form extends FieldValues, Value> = {
  open: boolean;
  title: string;
  description?: string;
  /**
   * The schema that checks the form. Its input is the values of the controls, its output the
   * argument of `onSubmit`.
   */
  schema: z.ZodType<Value>;
  /** The first values of the controls, read each time the sheet opens. */
  values: Form;
  /**
   * Saves the value. The sheet closes when the promise resolves; a refusal is shown at the field
   * that it names, or above the form.
   */
  onSubmit: (value: Value) => Promise<unknown>;
  onClose: () => void;
  /**
   * Called after a save instead of `onClose`, if the sheet then shows something else instead of
   * closing.
   */
  onSaved?: () => void;
  submitLabel?: string;
  /**
   * Resolves to whether the record has changed on the server since it was read. `gone`: it is not
   * there any more, so nothing is saved and the sheet closes.
   */
  checkStale?: () => Promise<boolean | "gone">;
  /** What is asked before each save; null: nothing. */
  question?: (value: Value) => ConfirmQuestion | null;
  /** Shown to the left of the buttons, such as a button that tests the values. */
  footerNote?: ReactNode;
  width?: "md" | "lg";
  /** The key under which a draft is stored when the session ends; by default the address. */
  draftId?: string;
  children: ReactNode;
};

/**
 * A sheet with the form of a record. Each time it opens, it starts from `values`. When it is
 * closed, or the page is left, with unsaved changes, it asks whether to discard them.
 */
export function FormSheet<Form extends FieldValues, Value>(props: FormSheetProps<Form, Value>) {
  const [opening, setOpening] = useState({ isOpen: props.open, count: 0 });
  if (opening.isOpen !== props.open) {
    setOpening({ isOpen: props.open, count: opening.count + (props.open ? 1 : 0) });
  }
  return <SheetForm key={opening.count} {...props} />;
}

function SheetForm<Form extends FieldValues, Value>(props: FormSheetProps<Form, Value>) {
  const { open, title, description, width = "md", onClose } = props;
  const t = useT();
  const form = useRecordForm({
    schema: props.schema,
    values: props.values,
    onSubmit: props.onSubmit,
    checkStale: props.checkStale,
    question: props.question,
    draftId: open ? (props.draftId ?? location.pathname + location.search) : null,
  });
  const letGo = useLeaveGuard(form, open, t);

  async function close(): Promise<void> {
    if (!form.isDirty || (await form.ask(discardQuestion(t)))) letGo(onClose);
  }

  async function save(): Promise<void> {
    if (await form.submit()) letGo(props.onSaved ?? onClose);
  }

  return (
    <Sheet
      open={open}
      onClose={() => void close()}
      title={title}
      width={width}
      description={description}
      footer={
        <div className="flex w-full flex-wrap items-center justify-end gap-2">
          <span className="mr-auto min-w-0 text-xs max-md:hidden">
            {props.footerNote ?? <Muted>{t("ui.formSaveHint")}</Muted>}
          </span>
          <Button onClick={() => void close()}>{t("ui.formCancel")}</Button>
          <Button variant="primary" type="submit" form={form.id} loading={form.isSaving}>
            {props.submitLabel ?? t("ui.formSave")}
          </Button>
        </div>
      }
    >
      <FormBody form={form} onSubmit={() => void save()}>
        <SectionAnchors notes={form.notes} />
        {props.children}
      </FormBody>
    </Sheet>
  );
}

/**
 * Asks before the user leaves the page with unsaved changes, for example with Back. Closing the
 * form has a question of its own; the returned function leaves without a second one.
 */
function useLeaveGuard(form: RecordForm, open: boolean, t: T): (leave: () => void) => void {
  const isLetGo = useRef(false);
  useBlocker({
    disabled: !open || !form.isDirty,
    enableBeforeUnload: false,
    shouldBlockFn: async ({ current, next }) => {
      const isOwn = isLetGo.current || isLeavingToSignIn();
      // A change of the address that keeps the same record open changes only the list behind the
      // sheet, so the sheet asks nothing.
      if (isOwn || isSameRecord(current, next)) return false;
      return !(await form.ask(discardQuestion(t)));
    },
  });
  return (leave) => {
    isLetGo.current = true;
    leave();
  };
}

type Place = { readonly pathname: string; readonly search: unknown };

/** Whether both addresses have the same sheet open. */
function isSameRecord(current: Place, next: Place): boolean {
  const openIn = ({ search }: Place) =>
    typeof search === "object" && search !== null && "open" in search ? search.open : "";
  return current.pathname === next.pathname && openIn(current) === openIn(next);
}

function discardQuestion(t: T): ConfirmQuestion {
  return {
    title: t("ui.formDiscardTitle"),
    body: t("ui.formDiscardBody"),
    confirmLabel: t("ui.formDiscard"),
    cancelLabel: t("ui.formKeepEditing"),
    tone: "danger",
  };
}
