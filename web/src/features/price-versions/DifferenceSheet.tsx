import { ArrowLeftRight } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { Difference } from "./Difference.tsx";

/** A sheet that compares two versions; 0 stands for the one in force. */
export function DifferenceSheet(props: {
  readonly from: number;
  readonly to: number;
  readonly onSwap: () => void;
  readonly onClose: () => void;
}) {
  const { from, to } = props;
  const t = useT();
  const nameOf = (id: number): string =>
    id === 0 ? t("priceVersions.current") : t("priceVersions.version", { id });
  return (
    <Sheet
      open
      width="lg"
      title={t("priceVersions.diffTitle", { from: nameOf(from), to: nameOf(to) })}
      onClose={props.onClose}
      footer={
        <div className="flex w-full flex-wrap items-center justify-end gap-2">
          <Button icon={<ArrowLeftRight size={16} aria-hidden />} onClick={props.onSwap}>
            {t("priceVersions.swap")}
          </Button>
          <Button variant="primary" onClick={props.onClose}>
            {t("priceVersions.close")}
          </Button>
        </div>
      }
    >
      <Difference from={from} to={to} />
    </Sheet>
  );
}
