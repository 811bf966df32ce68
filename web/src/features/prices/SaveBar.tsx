import { priceReasonMax } from "@tollgate/contract/endpoints/price-versions.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { toastFailure, toastSaved } from "#ui/overlays/toast.ts";
import { priceOptionNames } from "#widgets/money/price-maps.ts";
import { TryPrices } from "#widgets/price-preview/TryPrices.tsx";
import { useDrafts } from "#widgets/option-form/drafts.ts";
import type { ModelRow } from "./models-list.ts";
import { changesOf, type PriceMaps } from "./price-table.ts";
import { useSavePrices } from "./prices.api.ts";

/**
 * A bar with the number of unsaved changes, which saves them as one version, with a reason if root
 * gives one, or discards them.
 */
export function SaveBar(props: {
  readonly rows: readonly ModelRow[];
  /** The prices that the changes began from. */
  readonly base: PriceMaps;
}) {
  const { rows, base } = props;
  const t = useT();
  const { changedOf, revert } = useDrafts();
  const { mutateAsync, isPending } = useSavePrices();
  const [reason, setReason] = useState("");
  const changed = rows.filter(({ isChanged }) => isChanged);
  if (changedOf(priceOptionNames).length === 0) return null;

  async function save() {
    try {
      await mutateAsync({ changes: changesOf(base, changed), reason });
      revert(priceOptionNames);
      setReason("");
      toastSaved(t("prices.savedCount", { count: changed.length }));
    } catch (error) {
      toastFailure(t("settings.saveFailed"), error);
    }
  }

  return (
    <div className="sticky top-2 z-5">
      <Banner
        tone="warning"
        title={t("prices.unsaved", { count: changed.length })}
        action={
          <span className="flex flex-wrap items-center justify-end gap-2">
            <span className="w-56 max-w-full">
              <Input
                aria-label={t("prices.reason")}
                placeholder={t("prices.reason")}
                value={reason}
                maxLength={priceReasonMax}
                onChange={(event) => setReason(event.target.value)}
              />
            </span>
            <TryPrices tried={{ changes: changesOf(base, changed) }} />
            <Button disabled={isPending} onClick={() => revert(priceOptionNames)}>
              {t("settings.discard")}
            </Button>
            <Button variant="primary" loading={isPending} onClick={() => void save()}>
              {t("settings.save")}
            </Button>
          </span>
        }
      />
    </div>
  );
}
