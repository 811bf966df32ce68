import type { ChargedUsage } from "@tollgate/contract/money/charge.ts";
import { SlidersHorizontal } from "lucide-react";
import { useId, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { exampleTokensMax, type PricingSearch } from "./pricing.search.ts";

type Tokens = Pick<PricingSearch, "tokens_cached" | "tokens_in" | "tokens_out">;

/**
 * The tokens of a call whose cost the list shows for each model. On a phone, the fields are folded
 * behind a button that names the tokens.
 */
export function ExampleCall(props: {
  readonly usage: ChargedUsage;
  readonly onChange: (change: Partial<Tokens>) => void;
}) {
  const { usage, onChange } = props;
  const t = useT();
  const id = useId();
  const [open, setOpen] = useState(false);
  const fields = [
    { name: "tokens_in", label: t("pricing.exampleInput"), value: usage.input },
    { name: "tokens_cached", label: t("pricing.exampleCached"), value: usage.cacheRead },
    { name: "tokens_out", label: t("pricing.exampleOutput"), value: usage.output },
  ] as const;
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{t("pricing.example")}</legend>
      <div className="md:hidden">
        <Button
          variant="ghost"
          size="sm"
          icon={<SlidersHorizontal size={14} aria-hidden />}
          aria-expanded={open}
          aria-controls={`${id}-fields`}
          onClick={() => setOpen(!open)}
        >
          {t("pricing.exampleShort", {
            input: usage.input.toLocaleString("en-US"),
            cached: usage.cacheRead.toLocaleString("en-US"),
            output: usage.output.toLocaleString("en-US"),
          })}
        </Button>
      </div>
      <div
        id={`${id}-fields`}
        className={`flex-wrap items-end gap-x-4 gap-y-2 md:flex ${open ? "flex" : "hidden"}`}
      >
        {fields.map(({ name, label, value }) => (
          <label
            key={name}
            htmlFor={`${id}-${name}`}
            className="flex w-40 min-w-0 flex-col gap-1 text-sm max-md:w-[calc(50%-8px)]"
          >
            {label}
            <NumberInput
              id={`${id}-${name}`}
              value={value}
              min={0}
              max={exampleTokensMax}
              step={100}
              onChange={(next) => onChange({ [name]: Math.round(next ?? 0) })}
            />
          </label>
        ))}
        <p className="min-w-0 flex-1 basis-60 pb-1.5 text-sm">
          <Muted>{t("pricing.exampleNote")}</Muted>
        </p>
      </div>
    </fieldset>
  );
}
