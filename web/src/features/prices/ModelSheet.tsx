import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { parseDecimal } from "@tollgate/contract/prices.ts";
import { CallCost } from "./CallCost.tsx";
import { DollarFields } from "./DollarFields.tsx";
import { type ModelForm, modelForm, modelSchema } from "./model-form.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { optionText } from "#widgets/option-form/option-texts.ts";
import type { ratioNames } from "#widgets/money/price-maps.ts";
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
        hasLong={row.prices.LongAbove !== undefined}
        hasTiers={row.prices.Tiers !== undefined}
        quotaPerUnit={quotaPerUnit}
        groups={props.groups}
      />
    </FormSheet>
  );
}

const none: ReadonlySet<string> = new Set();

function ModelFields(props: {
  readonly isNew: boolean;
  /** Whether the model has a price per call, whose field then stands open. */
  readonly hasFixed: boolean;
  /** Whether the model has prices of long prompts, whose fields then stand open. */
  readonly hasLong: boolean;
  /** Whether service tiers of the model have prices, whose field then stands open. */
  readonly hasTiers: boolean;
  readonly quotaPerUnit: string;
  readonly groups: Readonly<Record<string, string>>;
}) {
  const { isNew, hasFixed, hasLong, hasTiers, quotaPerUnit, groups } = props;
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
      <FactorFields hasLong={hasLong} hasTiers={hasTiers} byCall={byCall} />
    </>
  );
}

/** The factors of long prompts and of service tiers. */
function FactorFields(props: {
  readonly hasLong: boolean;
  readonly hasTiers: boolean;
  readonly byCall: boolean;
}) {
  const { hasLong, hasTiers, byCall } = props;
  const t = useT();
  return (
    <>
      <FormSection
        id="long"
        title={t("settings.sectionLongContext")}
        description={t("settings.longContextHelp")}
        folded={!hasLong}
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
      </FormSection>
      <FormSection
        id="tiers"
        title={t("settings.sectionTiers")}
        description={t("settings.tiersHelp")}
        folded={!hasTiers}
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
