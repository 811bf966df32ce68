import { sentTextMax } from "@tollgate/contract/endpoints/price-sources.ts";
import { useMemo, useRef } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { TextFileButton } from "#ui/form/TextFileButton.tsx";
import { useSync } from "./price-sources.api.ts";

type PasteForm = { readonly text: string };

const F = fieldsOf<PasteForm>();

/** A sheet that reads the list of a source from a file or a pasted text. */
export function PasteSheet(props: {
  readonly id: number;
  readonly onClose: () => void;
  readonly onDraft: (draft: number) => void;
}) {
  const { id, onClose, onDraft } = props;
  const t = useT();
  const { mutateAsync: sync } = useSync();
  const made = useRef(0);
  const schema = useMemo(
    () =>
      z.object({
        text: z
          .string()
          .max(sentTextMax, t("priceSources.pasteLong"))
          .refine((text) => text.trim() !== "", t("priceSources.pasteNone")),
      }),
    [t],
  );
  return (
    <FormSheet<PasteForm, PasteForm>
      open
      width="lg"
      title={t("priceSources.paste")}
      description={t("priceSources.pasteHelp")}
      submitLabel={t("priceSources.compare")}
      schema={schema}
      values={{ text: "" }}
      onSubmit={async ({ text }) => {
        made.current = (await sync({ id, text })).id;
      }}
      onSaved={() => onDraft(made.current)}
      onClose={onClose}
    >
      <F.Textarea name="text" label={t("priceSources.list")} rows={12} fixedWidth required />
      <TextFileButton
        name="text"
        label={t("priceSources.file")}
        accept=".csv,.json,.txt,text/csv,application/json"
        max={sentTextMax}
      />
    </FormSheet>
  );
}
