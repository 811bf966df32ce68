import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { PriceProposals } from "#widgets/prices/PriceProposals.tsx";
import { useApplyPrices, useModelSources, useProposals } from "./prices.api.ts";

/**
 * A sheet with what the catalogue has for some models, at the providers of the channels that offer
 * them. What is taken is saved at once.
 */
export function CatalogueSheet(props: {
  readonly models: readonly string[];
  readonly onClose: () => void;
}) {
  const t = useT();
  const sources = useModelSources(props.models);
  const { mutateAsync: apply } = useApplyPrices();
  const { data, error, refetch } = useProposals(sources ?? []);
  return (
    <Sheet
      open
      width="lg"
      title={t("prices.catalogueTitle", { count: props.models.length })}
      onClose={props.onClose}
      footer={
        <Button variant="primary" onClick={props.onClose}>
          {t("prices.catalogueClose")}
        </Button>
      }
    >
      {data !== undefined ? (
        <PriceProposals proposals={data} hasPriced prices={{ onApply: apply }} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <span aria-busy>
          <Skeleton />
        </span>
      )}
      <p className="mt-3 text-sm">
        <Muted>{t("prices.catalogueNote")}</Muted>
      </p>
    </Sheet>
  );
}
