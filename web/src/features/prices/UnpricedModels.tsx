import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { type PriceMaps, unpricedModels } from "./price-table.ts";
import { enabledModelsQuery } from "./prices.api.ts";

/** How many models are listed, so that the table below stays in view. */
const shownMax = 20;

/**
 * A warning about models that channels offer but that have no price, so that calls of them are
 * refused.
 */
export function UnpricedModels(props: {
  readonly maps: PriceMaps;
  readonly onAdd: (model: string) => void;
}) {
  const t = useT();
  const enabled = useQuery(enabledModelsQuery);
  const missing = unpricedModels(enabled.data ?? [], props.maps);
  if (missing.length === 0) return null;
  return (
    <Banner tone="warning" title={t("settings.unpricedTitle", { count: missing.length })}>
      <div className="mt-1 flex flex-wrap gap-2">
        {missing.slice(0, shownMax).map((model) => (
          <Button
            key={model}
            size="sm"
            aria-label={t("settings.unpricedAdd", { name: model })}
            icon={<Plus size={14} aria-hidden />}
            onClick={() => props.onAdd(model)}
          >
            {model}
          </Button>
        ))}
        {missing.length > shownMax && (
          <LinkButton size="sm" variant="ghost" to="/prices" search={{ show: "unpriced" }}>
            {t("settings.unpricedMore", { count: missing.length - shownMax })}
          </LinkButton>
        )}
      </div>
    </Banner>
  );
}
