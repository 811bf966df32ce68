import type { PriceChanges } from "@tollgate/contract/endpoints/price-versions.ts";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { useFormValues } from "#ui/form/Field.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { CallCost } from "./CallCost.tsx";
import { DollarFields } from "./DollarFields.tsx";
import { type ModelForm, modelForm, modelSchema } from "./model-form.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { optionText } from "#widgets/option-form/option-texts.ts";
import { type PriceField, priceFields, type ratioNames } from "#widgets/money/price-maps.ts";
import { TryPricesHere } from "#widgets/price-preview/TryPrices.tsx";
import { dollarsPerMillion, type PriceRow } from "./price-table.ts";

const F = fieldsOf<ModelForm>();

type Ratio = (typeof ratioNames)[number];

/**
 * The less common ratios: each with the value used if none is set (`absent`), and the other ratios
 * that it multiplies. Must agree with `charge.ts`.
 */
const moreRatios: readonly {
  readonly name: Exclude<Ratio, "ModelRatio" | "CompletionRatio">;
  readonly absent: string;
  readonly times: readonly Ratio[];
}[] = [
  { name: "CacheRatio", absent: "1", times: ["ModelRatio"] },
  { name: "CreateCacheRatio", absent: "1.25", times: ["ModelRatio"] },
  { name: "CreateCacheRatio1h", absent: "2", times: ["ModelRatio"] },
  { name: "ImageRatio", absent: "1", times: ["ModelRatio"] },
  { name: "AudioRatio", absent: "20", times: ["ModelRatio"] },
  { name: "AudioCompletionRatio", absent: "2", times: ["ModelRatio", "AudioRatio"] },
];

const absentOf: Partial<Record<Ratio, string>> = { AudioRatio: "20" };

/** A sheet that edits the prices of one model. */
export function ModelSheet(props: {
  readonly row: PriceRow;
  readonly isNew: boolean;
  readonly taken: ReadonlySet<string>;
  readonly quotaPerUnit: string;
  /** The ratio of each group, by the group's name, to compute the cost of an example call. */
  readonly groups: Readonly<Record<string, string>>;
  /** Whether the sheet saves the prices; if not, they join the other unsaved changes. */
  readonly savesAtOnce: boolean;
  /** What the prices of a row change; absent: the unsaved changes are tried together. */
  readonly changesOf?: ((row: PriceRow) => PriceChanges) | undefined;
  readonly onApply: (row: PriceRow) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { row, isNew, taken, quotaPerUnit } = props;
  const t = useT();
  const schema = useMemo(() => modelSchema(t, isNew ? taken : none), [t, isNew, taken]);
  return (
    <FormSheet<ModelForm, PriceRow>
      open
      title={isNew ? t("settings.modelAddTitle") : t("settings.modelEditTitle")}
      {...(isNew ? {} : { description: row.model })}
      {...(props.savesAtOnce
        ? {}
        : {
            submitLabel: t("settings.modelApply"),
            footerNote: t("settings.modelApplyNote"),
          })}
      schema={schema}
      values={modelForm(row)}
      onSubmit={props.onApply}
      onClose={props.onClose}
    >
      <ModelFields
        isNew={isNew}
        hasFixed={row.prices.ModelPrice !== undefined}
        open={openSections(row)}
        quotaPerUnit={quotaPerUnit}
        groups={props.groups}
      />
      {props.changesOf !== undefined && <TryModel schema={schema} changesOf={props.changesOf} />}
    </FormSheet>
  );
}

/** Tries the prices that stand in the form, while they are valid and others than before. */
function TryModel(props: {
  readonly schema: ReturnType<typeof modelSchema>;
  readonly changesOf: (row: PriceRow) => PriceChanges;
}) {
  const typed = props.schema.safeParse(useFormValues());
  if (!typed.success) return null;
  const changes = props.changesOf(typed.data);
  return Object.keys(changes).length === 0 ? null : <TryPricesHere tried={{ changes }} />;
}

const none: ReadonlySet<string> = new Set();

function openSections({ prices }: PriceRow): ReadonlySet<PriceField> {
  return new Set(priceFields.filter((name) => prices[name] !== undefined));
}

function ModelFields(props: {
  readonly isNew: boolean;
  /** Whether the model has a price per call, whose field then stands open. */
  readonly hasFixed: boolean;
  /** The fields that the model has prices in, whose sections then stand open. */
  readonly open: ReadonlySet<PriceField>;
  readonly quotaPerUnit: string;
  readonly groups: Readonly<Record<string, string>>;
}) {
  const { isNew, hasFixed, open, quotaPerUnit, groups } = props;
  const t = useT();
  const byCall = F.useValue("ModelPrice").trim() !== "";
  return (
    <>
      <FormSection
        id="price"
        title={t("settings.sectionPrice")}
        {...(byCall ? { description: t("settings.ratiosUnused") } : {})}
      >
        {isNew && (
          <F.Text name="model" label={t("settings.modelName")} required spellCheck={false} />
        )}
        <DollarFields quotaPerUnit={quotaPerUnit} disabled={byCall} />
        <F.Text
          name="ModelRatio"
          label={t("settings.modelRatioField")}
          about={<HelpOn term="ratio" word={t("settings.modelRatioField")} />}
          inputMode="decimal"
          disabled={byCall}
          suffix={
            <Price hidden={byCall} own="ModelRatio" absent="" times={[]} unit={quotaPerUnit} />
          }
        />
        <F.Text
          name="CompletionRatio"
          label={t("settings.completionField")}
          about={<HelpOn term="ratio" word={t("settings.completionField")} />}
          inputMode="decimal"
          placeholder="1"
          disabled={byCall}
          suffix={
            <Price
              hidden={byCall}
              own="CompletionRatio"
              absent="1"
              times={["ModelRatio"]}
              unit={quotaPerUnit}
            />
          }
        />
        <CallCost quotaPerUnit={quotaPerUnit} groups={groups} />
      </FormSection>
      <FormSection
        id="fixed"
        title={t("settings.sectionFixedPrice")}
        description={t("settings.fixedPriceHelp")}
        folded={!hasFixed}
      >
        <F.Text name="ModelPrice" label={t("settings.fixedPrice")} inputMode="decimal" prefix="$" />
      </FormSection>
      <FormSection id="more" title={t("settings.sectionMoreRatios")} folded>
        {moreRatios.map(({ name, absent, times }) => (
          <F.Text
            key={name}
            name={name}
            label={optionText(name, t).label}
            inputMode="decimal"
            placeholder={absent}
            disabled={byCall}
            suffix={
              <Price hidden={byCall} own={name} absent={absent} times={times} unit={quotaPerUnit} />
            }
          />
        ))}
      </FormSection>
      <FactorFields open={open} byCall={byCall} />
      <TermFields open={open} byCall={byCall} />
    </>
  );
}

/** The factors of long prompts and of service tiers. */
function FactorFields(props: { readonly open: ReadonlySet<PriceField>; readonly byCall: boolean }) {
  const { open, byCall } = props;
  const t = useT();
  return (
    <>
      <FormSection
        id="long"
        title={t("settings.sectionLongContext")}
        description={t("settings.longContextHelp")}
        folded={!open.has("LongAbove")}
      >
        <F.Text
          name="LongAbove"
          label={t("settings.longAbove")}
          inputMode="numeric"
          placeholder="200000"
          disabled={byCall}
        />
        <F.Text
          name="LongRatio"
          label={t("settings.longRatio")}
          inputMode="decimal"
          placeholder="1"
          disabled={byCall}
          prefix="×"
        />
        <F.Text
          name="LongCompletion"
          label={t("settings.longCompletion")}
          inputMode="decimal"
          placeholder="1"
          disabled={byCall}
          prefix="×"
        />
        <F.Text
          name="LongCache"
          label={t("settings.longCache")}
          inputMode="decimal"
          disabled={byCall}
          prefix="×"
        />
        <F.Textarea
          name="LongFurther"
          label={t("settings.longFurther")}
          placeholder={'[{"above": 1000000, "ratio": 4, "completion": 3}]'}
          disabled={byCall}
        />
      </FormSection>
      <FormSection
        id="tiers"
        title={t("settings.sectionTiers")}
        description={t("settings.tiersHelp")}
        folded={!open.has("Tiers")}
      >
        <F.Textarea
          name="Tiers"
          label={t("settings.tiersField")}
          placeholder={'{"priority": {"ratio": 2, "cache": 2, "completion": 2}}'}
          disabled={byCall}
        />
      </FormSection>
    </>
  );
}

/** The prices by the hour, of searches and of single kinds of tokens. */
function TermFields(props: { readonly open: ReadonlySet<PriceField>; readonly byCall: boolean }) {
  const { open, byCall } = props;
  const t = useT();
  return (
    <>
      <FormSection
        id="hours"
        title={t("settings.sectionHours")}
        description={t("settings.hoursHelp")}
        folded={!open.has("Hours")}
      >
        <F.Textarea
          name="Hours"
          label={t("settings.hoursField")}
          placeholder={'[{"from": "16:30", "until": "00:30", "ratio": 0.5}]'}
          disabled={byCall}
        />
      </FormSection>
      <FormSection
        id="searches"
        title={t("settings.sectionSearches")}
        description={t("settings.searchesHelp")}
        folded={!open.has("Searches")}
      >
        <F.Textarea
          name="Searches"
          label={t("settings.searchesField")}
          placeholder={'{"search": 10}'}
          disabled={byCall}
        />
      </FormSection>
      <FormSection
        id="kinds"
        title={t("settings.sectionKinds")}
        description={t("settings.kindsHelp")}
        folded={!open.has("Kinds")}
      >
        <F.Textarea
          name="Kinds"
          label={t("settings.kindsField")}
          placeholder={'{"reasoning": 1.5, "cacheAudio": 0.05}'}
          disabled={byCall}
        />
      </FormSection>
    </>
  );
}

/** Shows the dollars per million tokens that a ratio results in, updated while the user types. */
function Price(props: {
  readonly hidden: boolean;
  readonly own: Ratio;
  /** The ratio used if none is typed; empty: there is no price without a ratio. */
  readonly absent: string;
  readonly times: readonly Ratio[];
  readonly unit: string;
}) {
  const { own, absent, times, unit } = props;
  const t = useT();
  const values: Record<Ratio, string> = {
    ModelRatio: F.useValue("ModelRatio"),
    CompletionRatio: F.useValue("CompletionRatio"),
    CacheRatio: F.useValue("CacheRatio"),
    CreateCacheRatio: F.useValue("CreateCacheRatio"),
    CreateCacheRatio1h: F.useValue("CreateCacheRatio1h"),
    ImageRatio: F.useValue("ImageRatio"),
    AudioRatio: F.useValue("AudioRatio"),
    AudioCompletionRatio: F.useValue("AudioCompletionRatio"),
  };
  if (props.hidden) return null;
  const ratios = [
    values[own].trim() || absent,
    ...times.map((name) => values[name].trim() || (absentOf[name] ?? "")),
  ].map(parseDecimal);
  const decimals = ratios.flatMap((ratio) => (ratio.ok ? [ratio.value] : []));
  if (decimals.length < ratios.length) return null;
  const price = dollarsPerMillion(decimals, unit);
  if (price === undefined) return null;
  return <span className="text-xs tabular-nums">{t("settings.perMillion", { price })}</span>;
}
