import { useMemo, useState } from "react";
import { z } from "zod";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { useRedeem } from "./wallet.api.ts";

type RedeemForm = { key: string };

const F = fieldsOf<RedeemForm>();

/** Redeems a code, and leads to the shop that sells codes. */
export function RedeemCard() {
  const t = useT();
  const display = useQuotaDisplay();
  const redeem = useRedeem();
  // A new form replaces the one whose code was redeemed.
  const [redeemed, setRedeemed] = useState(0);
  const values = useMemo(() => ({ key: "" }), []);
  const schema = useMemo(
    () => z.object({ key: z.string().trim().min(1, t("wallet.codeRequired")) }),
    [t],
  );
  return (
    <Card title={t("wallet.redeemTitle")} actions={<ShopButton />}>
      <PlainForm
        key={redeemed}
        schema={schema}
        values={values}
        submitLabel={t("wallet.redeem")}
        onSubmit={async ({ key }) => {
          const amount = showQuota(await redeem.mutateAsync(key), display);
          toast({ tone: "success", title: t("wallet.redeemed", { amount }) });
          setRedeemed(redeemed + 1);
        }}
      >
        <F.Text name="key" label={t("wallet.code")} placeholder={t("wallet.codePlaceholder")} />
      </PlainForm>
    </Card>
  );
}

/** Opens the shop; without one it says so, as the specification asks. */
function ShopButton() {
  const t = useT();
  const status = useStatus();
  const shop = status?.top_up_link ?? "";
  return (
    <Button
      size="sm"
      onClick={() => {
        if (shop === "") toast({ tone: "danger", title: t("wallet.noShop") });
        else window.open(shop, "_blank", "noopener,noreferrer");
      }}
    >
      {t("wallet.shop")}
    </Button>
  );
}
