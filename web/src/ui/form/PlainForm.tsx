import type { ReactNode } from "react";
import type { FieldValues } from "react-hook-form";
import type { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { FormBody } from "./FormBody.tsx";
import { useRecordForm } from "./use-record-form.ts";

/** A form that is not in a sheet but on a page, such as sign-in and set-up. */
export function PlainForm<Form extends FieldValues, Value>(props: {
  schema: z.ZodType<Value>;
  values: Form;
  onSubmit: (value: Value) => Promise<unknown>;
  submitLabel?: string;
  /** Shown beside the submit button, or below it if the button has the full width. */
  footer?: ReactNode;
  /** Gives the submit button the full width, as on a sign-in page. */
  wide?: boolean;
  /** The key under which a draft is stored when the session ends; absent: no draft is stored. */
  draftId?: string;
  children: ReactNode;
}) {
  const t = useT();
  const wide = props.wide === true;
  const form = useRecordForm({
    schema: props.schema,
    values: props.values,
    onSubmit: props.onSubmit,
    draftId: props.draftId ?? null,
    asksBeforeUnload: false,
    namesFaults: !wide,
  });
  return (
    <FormBody form={form} onSubmit={() => void form.submit()}>
      {props.children}
      <div className={wide ? "flex flex-col items-stretch gap-3" : "flex items-center gap-3"}>
        <Button variant="primary" type="submit" loading={form.isSaving}>
          {props.submitLabel ?? t("ui.formSave")}
        </Button>
        {props.footer}
      </div>
    </FormBody>
  );
}
