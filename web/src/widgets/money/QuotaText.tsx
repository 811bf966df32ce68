import { showQuotaExactly, showQuotaInFull, showQuotaShort } from "#display/quota.ts";
import { useTip } from "#ui/table/cells/TipArea.tsx";
import { useQuotaDisplay } from "./use-quota-display.ts";

/**
 * Shows an amount of quota in the form that this server uses (dollars or units), with the exact
 * amount in the tooltip. `inFull`: shows every digit, as statements do, whose amounts add up.
 */
export function QuotaText({ quota, inFull = false }: { quota: number; inFull?: boolean }) {
  const display = useQuotaDisplay();
  return (
    <span className="whitespace-nowrap tabular-nums" {...useTip(showQuotaExactly(quota, display))}>
      {inFull ? showQuotaInFull(quota, display) : showQuotaShort(quota, display)}
    </span>
  );
}
