import { type Agent, percentText, readPercent } from "@tollgate/contract/endpoints/agents.ts";
import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { useUpdateAgent } from "./agents.api.ts";

type RateForm = { rate: string };

const F = fieldsOf<RateForm>();

/** Gives a reseller a share of its own, or the usual one. */
export function RateSheet({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const t = useT();
  const { mutateAsync: update } = useUpdateAgent();
  const schema = useMemo(
    () =>
      z.object({
        rate: z
          .string()
          .transform((text) => (text.trim() === "" ? -1 : readPercent(text)))
          .refine((bp) => bp !== undefined, t("agents.rateRule"))
          .transform((bp) => bp ?? -1),
      }),
    [t],
  );
  const values = useMemo(
    () => ({ rate: agent.rate_bp < 0 ? "" : percentText(agent.rate_bp) }),
    [agent.rate_bp],
  );
  return (
    <FormSheet
      open
      title={t("agents.setRate")}
      description={agent.username}
      schema={schema}
      values={values}
      onSubmit={async ({ rate }) => {
        await update({ id: agent.id, rate_bp: rate });
        toastSaved(t("agents.saved"));
      }}
      onClose={onClose}
    >
      <F.Text
        name="rate"
        label={t("agents.ratePercent")}
        help={t("agents.rateHelp")}
        placeholder={t("agents.usual")}
        inputMode="decimal"
      />
    </FormSheet>
  );
}
