import {
  type OwnAgent,
  payeeMax,
  withdrawalCurrency,
  withdrawalMoney,
} from "@tollgate/contract/endpoints/agents.ts";
import { useMemo } from "react";
import { z } from "zod";
import { showMoney } from "#display/money.ts";
import { showQuota } from "#display/quota.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { earningsAmount } from "#widgets/earnings/MoveSheet.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useWithdraw } from "./agents.api.ts";

type WithdrawForm = { quota: number | null; payee: string };

const F = fieldsOf<WithdrawForm>();

/** Asks root for a payout. The money is fixed when the form is sent. */
export function WithdrawSheet(props: { readonly agent: OwnAgent; readonly onClose: () => void }) {
  const { agent, onClose } = props;
  const { balance, withdraw_min } = agent;
  const t = useT();
  const display = useQuotaDisplay();
  const { mutateAsync: withdraw } = useWithdraw();
  const schema = useMemo(
    () =>
      z.object({
        quota: earningsAmount(t, display, { least: withdraw_min, most: balance }),
        payee: z.string().trim().min(1, t("agents.payeeRequired")).max(payeeMax),
      }),
    [t, display, withdraw_min, balance],
  );
  const values = useMemo<WithdrawForm>(() => ({ quota: balance, payee: "" }), [balance]);
  return (
    <FormSheet
      open
      title={t("agents.withdrawTitle")}
      description={t("agents.withdrawHow", { most: showQuota(balance, display) })}
      submitLabel={t("agents.withdrawSend")}
      schema={schema}
      values={values}
      onSubmit={async (form) => {
        await withdraw(form);
        toastSaved(t("agents.withdrawSent"));
      }}
      onClose={onClose}
    >
      <F.Custom name="quota" label={t("agents.quota")} required>
        {(control) => <QuotaInput {...control} />}
      </F.Custom>
      <Money agent={agent} />
      <F.Textarea
        name="payee"
        label={t("agents.payee")}
        help={t("agents.payeeHelp")}
        rows={2}
        required
      />
    </FormSheet>
  );
}

/** Writes what the typed amount pays out. */
function Money({ agent }: { readonly agent: OwnAgent }) {
  const t = useT();
  const language = useLanguage();
  const quota = F.useValue("quota");
  if (quota === null || !Number.isSafeInteger(quota) || quota < 0) return null;
  const money = withdrawalMoney(quota, agent.price, agent.quota_per_unit);
  return (
    <p className="text-sm" aria-live="polite">
      {t("agents.withdrawMoney", { money: showMoney(money, withdrawalCurrency, language) })}
    </p>
  );
}
