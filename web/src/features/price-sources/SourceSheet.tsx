import {
  createPriceSource,
  type PriceSourceRow,
  publicAddresses,
  type SourceKind,
  sourceKind,
} from "@tollgate/contract/endpoints/price-sources.ts";
import { useMemo } from "react";
import { z } from "zod";
import { type T, useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { type SourceValues, useSaveSource } from "./price-sources.api.ts";
import { kindName } from "./source-texts.ts";

type SourceForm = {
  readonly name: string;
  readonly kind: string;
  readonly url: string;
  readonly every_hours: number;
  readonly raise_max: number | null;
  readonly keep_hand_set: boolean;
  readonly keep_kind: boolean;
  readonly vendors: readonly string[];
  readonly factor: string;
};

const F = fieldsOf<SourceForm>();

/** How often a source may be read by itself, in hours; 0: only by hand. */
const periods = [0, 6, 24, 168] as const;

/** A sheet that adds a source or, with one, changes it. */
export function SourceSheet(props: {
  readonly source: PriceSourceRow | null;
  readonly onClose: () => void;
}) {
  const { source, onClose } = props;
  const t = useT();
  const { mutateAsync: save } = useSaveSource();
  const schema = useMemo(() => schemaOf(t), [t]);
  return (
    <FormSheet<SourceForm, SourceValues>
      open
      title={source === null ? t("priceSources.add") : t("priceSources.edit")}
      schema={schema}
      values={valuesOf(source)}
      onSubmit={async (values) => await save({ id: source?.id ?? null, ...values })}
      onClose={onClose}
    >
      <F.Text name="name" label={t("priceSources.name")} required />
      <F.Select
        name="kind"
        label={t("priceSources.kind")}
        items={sourceKind.options.map((kind) => ({ value: kind, label: kindName(kind, t) }))}
      />
      <Address />
      <F.Select
        name="every_hours"
        label={t("priceSources.every")}
        help={t("priceSources.everyHelp")}
        items={periodItems(source?.every_hours ?? 0, t)}
      />
      <FormSection id="rules" title={t("priceSources.rules")}>
        <F.Number
          name="raise_max"
          label={t("priceSources.raiseMax")}
          help={t("priceSources.raiseMaxHelp")}
          min={0}
          max={10_000}
          unit="%"
        />
        <F.Switch name="keep_hand_set" label={t("priceSources.keepHandSet")} />
        <F.Switch name="keep_kind" label={t("priceSources.keepKind")} />
        <F.Tags
          name="vendors"
          label={t("priceSources.vendors")}
          help={t("priceSources.vendorsHelp")}
        />
        <F.Text
          name="factor"
          label={t("priceSources.factor")}
          help={t("priceSources.factorHelp")}
          inputMode="decimal"
        />
        <p className="text-sm">
          <Muted>{t("priceSources.rulesHelp")}</Muted>
        </p>
      </FormSection>
    </FormSheet>
  );
}

function Address() {
  const t = useT();
  const kind = sourceKind.safeParse(F.useValue("kind"));
  const known = kind.success ? publicAddresses[kind.data] : "";
  return (
    <F.Text
      name="url"
      label={t("priceSources.address")}
      help={
        known === ""
          ? t("priceSources.addressHelp")
          : t("priceSources.addressKnown", { url: known })
      }
      placeholder={known === "" ? "https://" : known}
      inputMode="url"
      spellCheck={false}
    />
  );
}

function periodItems(present: number, t: T) {
  const hours = new Set<number>([...periods, present]);
  return [...hours]
    .toSorted((a, b) => a - b)
    .map((value) => ({
      value,
      label:
        value === 0 ? t("priceSources.byHand") : t("priceSources.everyHours", { count: value }),
    }));
}

function valuesOf(source: PriceSourceRow | null): SourceForm {
  if (source === null) {
    const rules = { raise_max: 20, keep_hand_set: true, keep_kind: true, vendors: [], factor: "1" };
    return { name: "", kind: "models-dev", url: "", every_hours: 0, ...rules };
  }
  const { name, kind, url, every_hours, rules } = source;
  return { name, kind, url, every_hours, ...rules };
}

/** Of a kind that everybody has at one address, no address means that one. */
function schemaOf(t: T) {
  return z
    .custom<SourceForm>()
    .transform(({ name, kind, url, every_hours, ...rules }, context): SourceValues => {
      const known = sourceKind.safeParse(kind);
      const address = url.trim() === "" && known.success ? addressOf(known.data) : url;
      const sent = { name, kind, url: address, every_hours, rules };
      const read = createPriceSource.input.safeParse(sent);
      if (read.success) return read.data;
      for (const { path, message } of read.error.issues) {
        const field = path.at(-1);
        context.addIssue({
          code: "custom",
          path: typeof field === "string" ? [field] : [],
          message: showMessage(message, t),
        });
      }
      return z.NEVER;
    });
}

function addressOf(kind: SourceKind): string {
  return publicAddresses[kind];
}
