import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { useSetFormValue } from "#ui/form/Field.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { ratioOf } from "./dollar-prices.ts";
import type { ModelForm } from "./model-form.ts";
import { dollarsPerMillion } from "./price-table.ts";

const F = fieldsOf<ModelForm>();

/**
 * An amount that the user typed, and the ratio computed from it. Once the ratio has another value,
 * the amount shown is computed from the ratio instead.
 */
type Typed = { readonly text: string; readonly ratio: string } | null;

/**
 * Fields for input and output price in dollars, as providers publish them. They fill in the two
 * ratios below them, which are what is saved and charged.
 */
export function DollarFields(props: { readonly quotaPerUnit: string; readonly disabled: boolean }) {
  const { quotaPerUnit, disabled } = props;
  const t = useT();
  const set = useSetFormValue();
  const model = F.useValue("ModelRatio");
  const completion = F.useValue("CompletionRatio");
  const [input, setInput] = useState<Typed>(null);
  const [output, setOutput] = useState<Typed>(null);

  function changeOutput(text: string, over: string) {
    const next = text.trim() === "" ? "" : ratioOf(text, quotaPerUnit, over);
    setOutput({ text, ratio: next ?? completion });
    if (next !== undefined) set("CompletionRatio", next);
  }
  function changeInput(text: string) {
    const next = text.trim() === "" ? "" : ratioOf(text, quotaPerUnit);
    setInput({ text, ratio: next ?? model });
    if (next === undefined) return;
    set("ModelRatio", next);
    // When the input price changes, an output price that the user typed in dollars stays the same.
    // Its ratio is relative to the input price, so the ratio is computed again.
    if (output !== null && output.ratio === completion) changeOutput(output.text, next);
  }

  return (
    <div className="grid min-w-0 gap-4 sm:grid-cols-2">
      <Dollars
        name="input-dollars"
        label={t("settings.inputDollars")}
        disabled={disabled}
        text={input?.ratio === model ? input.text : workedOut([model], quotaPerUnit)}
        onChange={changeInput}
      />
      <Dollars
        name="output-dollars"
        label={t("settings.outputDollars")}
        disabled={disabled || model.trim() === ""}
        text={
          output?.ratio === completion
            ? output.text
            : workedOut([model, completion.trim() || "1"], quotaPerUnit)
        }
        onChange={(text) => changeOutput(text, model)}
      />
    </div>
  );
}

/**
 * Computes the dollars per million tokens that these ratios result in; empty if one of them is not
 * a number.
 */
function workedOut(texts: readonly string[], quotaPerUnit: string): string {
  const ratios = texts.map(parseDecimal).flatMap((ratio) => (ratio.ok ? [ratio.value] : []));
  if (ratios.length < texts.length) return "";
  return (dollarsPerMillion(ratios, quotaPerUnit) ?? "").replace(/^(≈ )?\$|\.?0+$/g, "");
}

function Dollars(props: {
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const { name, label, disabled, text, onChange } = props;
  const t = useT();
  const isBad = text.trim() !== "" && ratioOf(text, "1") === undefined;
  return (
    <FieldFrame name={name} label={label} error={isBad ? t("settings.numberNeeded") : undefined}>
      {(control) => (
        <Input
          {...control}
          value={text}
          inputMode="decimal"
          prefix="$"
          suffix={<span className="text-xs">{t("settings.aMillion")}</span>}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}
