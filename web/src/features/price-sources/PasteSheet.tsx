import { sentTextMax } from "@tollgate/contract/endpoints/price-sources.ts";
import { FileUp } from "lucide-react";
import { useMemo, useRef } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { useSetFormValue } from "#ui/form/Field.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
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
      <FileButton />
    </FormSheet>
  );
}

/** A button that reads a file into the field above it. */
function FileButton() {
  const t = useT();
  const set = useSetFormValue();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".csv,.json,.txt,text/csv,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          // A file that is too long is cut one character beyond the limit, which is then reported.
          void file
            ?.slice(0, 4 * sentTextMax)
            .text()
            .then((text) => set("text", text.slice(0, sentTextMax + 1)));
        }}
      />
      <Button
        size="sm"
        icon={<FileUp size={14} aria-hidden />}
        onClick={() => picker.current?.click()}
      >
        {t("priceSources.file")}
      </Button>
    </div>
  );
}
