import { FlaskConical } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useT, withTexts } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import type { TriedPrices } from "./price-preview.api.ts";

const PreviewPanel = lazy(async () => ({
  default: (await withTexts("pricePreview", import("./PreviewPanel.tsx"))).PreviewPanel,
}));

/** A button that opens a sheet in which prices are tried on past calls before they are saved. */
export function TryPrices({ tried }: { readonly tried: TriedPrices }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<FlaskConical size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {t("widgets.tryPrices")}
      </Button>
      {open && (
        <Sheet
          open
          width="lg"
          title={t("widgets.tryPricesTitle")}
          description={t("widgets.tryPricesHelp")}
          onClose={() => setOpen(false)}
        >
          <Tried tried={tried} />
        </Sheet>
      )}
    </>
  );
}

/** The same inside a form or a sheet: the button gives way to what it tries. */
export function TryPricesHere({ tried }: { readonly tried: TriedPrices }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  if (open) return <Tried tried={tried} />;
  return (
    <span>
      <Button size="sm" icon={<FlaskConical size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {t("widgets.tryPrices")}
      </Button>
    </span>
  );
}

/** Other prices are another preview, so nobody takes one for the other. */
function Tried({ tried }: { readonly tried: TriedPrices }) {
  return (
    <Suspense fallback={<Skeleton />}>
      <PreviewPanel key={JSON.stringify(tried)} tried={tried} />
    </Suspense>
  );
}
