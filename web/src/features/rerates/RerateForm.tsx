import {
  rerateNoticeMax,
  rerateReasonMax,
  shortfall,
} from "@tollgate/contract/endpoints/rerates.ts";
import { type ReactNode, useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import type { RerateWish } from "./rerates.api.ts";

type Form = { readonly reason: string; readonly notice: string; readonly shortfall: string };

const F = fieldsOf<Form>();
const values: Form = { reason: "", notice: "", shortfall: "skip" };

/** A sheet with what root says when calls are charged again, below what is shown of them. */
export function RerateForm(props: {
  readonly title: string;
  readonly description: string;
  readonly submitLabel: string;
  /** Whether charges rise, so that users have to be told. */
  readonly isRaising: boolean;
  readonly onSubmit: (wish: RerateWish) => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const { isRaising } = props;
  const t = useT();
  const schema = useMemo(
    () =>
      z.object({
        reason: z.string().trim().min(1, t("rerates.reasonNeeded")).max(rerateReasonMax),
        notice: z
          .string()
          .trim()
          .max(rerateNoticeMax)
          .refine((text) => !isRaising || text !== "", t("rerates.noticeNeeded")),
        shortfall,
      }),
    [t, isRaising],
  );
  return (
    <FormSheet<Form, RerateWish>
      open
      width="lg"
      title={props.title}
      description={props.description}
      submitLabel={props.submitLabel}
      schema={schema}
      values={values}
      onSubmit={props.onSubmit}
      onClose={props.onClose}
    >
      {props.children}
      <F.Text name="reason" label={t("rerates.reason")} help={t("rerates.reasonHelp")} required />
      <F.Textarea
        name="notice"
        label={t("rerates.notice")}
        help={t("rerates.noticeHelp")}
        rows={3}
        required={isRaising}
      />
      <F.Select
        name="shortfall"
        label={t("rerates.shortfall")}
        help={t("rerates.shortfallHelp")}
        items={[
          { value: "skip", label: t("rerates.skip") },
          { value: "debt", label: t("rerates.debt") },
        ]}
      />
    </FormSheet>
  );
}
