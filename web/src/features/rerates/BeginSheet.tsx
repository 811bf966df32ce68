import type { PricePreview } from "@tollgate/contract/endpoints/price-previews.ts";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { toast } from "#ui/overlays/toast.ts";
import { PreviewPanel } from "#widgets/price-preview/PreviewPanel.tsx";
import { useBeginRerate } from "./rerates.api.ts";
import { RerateForm } from "./RerateForm.tsx";

/** A sheet that shows what a saved version changes for past calls, and charges them again. */
export function BeginSheet(props: {
  readonly version: number;
  readonly onBegun: (id: number) => void;
  readonly onClose: () => void;
}) {
  const { version } = props;
  const t = useT();
  const { mutateAsync: begin } = useBeginRerate();
  const [preview, setPreview] = useState<PricePreview | null>(null);
  const tried = useMemo(() => ({ version }), [version]);
  const result = preview?.result ?? null;
  const isRaising =
    result !== null &&
    [...result.most, ...result.models.items, ...result.users.items].some(
      ({ before, after }) => after > before,
    );
  return (
    <RerateForm
      title={t("rerates.beginTitle", { version })}
      description={t("rerates.beginBody")}
      submitLabel={t("rerates.begin")}
      isRaising={isRaising}
      onSubmit={async (wish) => {
        if (preview === null || result === null) throw new Error(t("rerates.previewNeeded"));
        const { id } = await begin({ ...wish, preview: preview.id });
        toast({ tone: "success", title: t("rerates.begun", { id }) });
        props.onBegun(id);
      }}
      onClose={props.onClose}
    >
      <PreviewPanel tried={tried} isOver onPreview={setPreview} />
    </RerateForm>
  );
}
