import { type AnyWithdrawal, noteMax } from "@tollgate/contract/endpoints/agents.ts";
import { useMemo } from "react";
import { z } from "zod";
import { showMoney } from "#display/money.ts";
import { showQuota } from "#display/quota.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useEndWithdrawal } from "./agents.api.ts";

type EndForm = { note: string };

const F = fieldsOf<EndForm>();
const values: EndForm = { note: "" };

/** Says that a withdrawal was paid out, or rejects it; both with a note that the agent reads. */
export function EndWithdrawalSheet(props: {
  readonly row: AnyWithdrawal;
  readonly pays: boolean;
  readonly onClose: () => void;
}) {
  const { row, pays, onClose } = props;
  const t = useT();
  const language = useLanguage();
  const { mutateAsync: end } = useEndWithdrawal();
  const schema = useMemo(
    () => z.object({ note: z.string().trim().min(1, t("agents.noteRequired")).max(noteMax) }),
    [t],
  );
  const money = showMoney(row.money, row.currency, language);
  const debt = showQuota(row.debt, useQuotaDisplay());
  const isBarred = pays && row.debt > 0;
  const rejectWarning =
    row.debt > 0 ? t("agents.rejectPaysDebt", { debt }) : t("agents.rejectWarning");
  const warning = pays ? t("agents.payWarning", { money }) : rejectWarning;
  return (
    <FormSheet
      open
      title={pays ? t("agents.payTitle") : t("agents.rejectTitle")}
      description={`#${row.id} ${row.username}`}
      submitLabel={pays ? t("agents.pay") : t("agents.reject")}
      schema={schema}
      values={values}
      onSubmit={async ({ note }) => {
        await end({ id: row.id, note, pays });
        toastSaved(pays ? t("agents.payDone") : t("agents.rejectDone"));
      }}
      onClose={onClose}
    >
      <Banner
        tone={isBarred ? "danger" : "warning"}
        title={isBarred ? t("agents.payBarred", { debt }) : warning}
      />
      <DescriptionList
        items={[
          { label: t("agents.money"), value: money },
          { label: t("agents.quota"), value: <QuotaText quota={row.quota} /> },
          { label: t("agents.payee"), value: row.payee },
        ]}
      />
      <F.Textarea
        name="note"
        label={t("agents.note")}
        help={pays ? t("agents.payNoteHelp") : t("agents.rejectNoteHelp")}
        rows={2}
        required
      />
    </FormSheet>
  );
}
