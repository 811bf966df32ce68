import type { ModelChange, PriceDifference } from "@tollgate/contract/endpoints/price-versions.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { type ChangeLine, ChangeList } from "#ui/table/ChangeList.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";

import { differenceLines } from "./difference-lines.ts";
import { usePriceDifference } from "./price-versions.api.ts";

/** How many models are shown at first, and with each press more. */
const modelsAtOnce = 50;

/** What differs between two versions: groups, then models, each price before and after. */
export function Difference({ from, to }: { readonly from: number; readonly to: number }) {
  const t = useT();
  const { data, error, refetch } = usePriceDifference({ from, to });
  if (data !== undefined) return <Found difference={data} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-3" aria-busy aria-label={t("ui.loading")}>
      <Skeleton />
      <Skeleton />
      <Skeleton width="60%" />
    </div>
  );
}

function Found({ difference }: { readonly difference: PriceDifference }) {
  const { models, total, groups, quota_per_unit: units } = difference;
  const t = useT();
  const [shown, setShown] = useState(modelsAtOnce);
  const general: ChangeLine[] = [
    ...(units.before === units.after
      ? []
      : [{ name: t("priceVersions.unit"), before: units.before, after: units.after }]),
    ...groups.map(({ group, before, after }) => ({
      name: t("priceVersions.group", { group }),
      before: before === null ? null : `×${before}`,
      after: after === null ? null : `×${after}`,
    })),
  ];
  if (general.length === 0 && total === 0) {
    return <p className="text-sm">{t("priceVersions.same")}</p>;
  }
  const left = total - Math.min(shown, models.length);
  return (
    <div className="flex min-w-0 flex-col gap-4 text-sm">
      {general.length > 0 && <ChangeList lines={general} />}
      {total > 0 && (
        <h3 className="font-medium">
          {t("priceVersions.models", { count: total })}{" "}
          <Muted>{t("priceVersions.perMillion")}</Muted>
        </h3>
      )}
      <ul className="flex min-w-0 flex-col gap-3">
        {models.slice(0, shown).map((change) => (
          <Model key={change.model} change={change} units={units} />
        ))}
      </ul>
      {shown < models.length ? (
        <span>
          <Button size="sm" onClick={() => setShown(shown + modelsAtOnce)}>
            {t("priceVersions.more", { count: left })}
          </Button>
        </span>
      ) : (
        left > 0 && <Muted>{t("priceVersions.rest", { count: left })}</Muted>
      )}
    </div>
  );
}

function Model(props: {
  readonly change: ModelChange;
  readonly units: PriceDifference["quota_per_unit"];
}) {
  const { change, units } = props;
  const t = useT();
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <span className="flex min-w-0 flex-wrap items-center gap-2">
        <ModelMark model={change.model} />
        <span className="min-w-0 font-medium wrap-anywhere">{change.model}</span>
        {change.before === null && <Badge tone="success">{t("priceVersions.added")}</Badge>}
        {change.after === null && <Badge tone="danger">{t("priceVersions.removed")}</Badge>}
      </span>
      <ChangeList lines={differenceLines(change, units, t)} />
    </li>
  );
}
