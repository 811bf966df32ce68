import type { Field } from "@tollgate/contract/kinds.ts";
import { type OptionName, options } from "@tollgate/contract/options.ts";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { TagInput } from "#ui/controls/TagInput.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { type ContentPlace, ContentPreview } from "./ContentPreview.tsx";
import { choiceTexts, dollarsOf, unitTexts } from "./option-texts.ts";
import { PairsEditor } from "./PairsEditor.tsx";
import { isPriceMap } from "#widgets/money/price-maps.ts";
import { useDrafts } from "./drafts.ts";

export type OptionControlProps = {
  readonly name: OptionName;
  readonly id: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly invalid: boolean;
};

function placeOf(name: OptionName): ContentPlace {
  if (name === "Footer") return "footer";
  return name === "Notice" ? "notice" : "page";
}

/** The control a kind of option has. Everything is edited as the API's text of it. */
export function OptionControl(props: OptionControlProps) {
  const { name, id, label, disabled, invalid } = props;
  const t = useT();
  const { textOf, change } = useDrafts();
  const { type: kind, secret, choices }: Field = options[name];
  const text = textOf(name);
  const set = (next: string) => change(name, next);
  const control = { id, disabled, invalid, "aria-describedby": `${id}-help` };
  const unit = unitTexts[name];
  const { quotaPerUnit } = useQuotaDisplay();
  if (secret) {
    return (
      <PasswordInput
        {...control}
        value={text}
        placeholder={t("settings.secretKeep")}
        autoComplete="new-password"
        onChange={(event) => set(event.target.value)}
      />
    );
  }
  switch (kind) {
    case "choice":
      return (
        <Select
          {...control}
          items={(choices ?? []).map((value) => ({ value, label: choiceLabel(value) }))}
          value={text}
          onChange={set}
        />
      );
    case "lines":
      return (
        <Textarea
          {...control}
          value={text}
          rows={6}
          onChange={(event) => set(event.target.value)}
        />
      );
    case "longText":
      return (
        <div
          className={
            text.trim() === "" ? "" : "grid min-w-0 items-start gap-x-6 gap-y-3 lg:grid-cols-2"
          }
        >
          <Textarea
            {...control}
            value={text}
            rows={7}
            onChange={(event) => set(event.target.value)}
          />
          {text.trim() !== "" && <ContentPreview text={text} label={label} place={placeOf(name)} />}
        </div>
      );
    case "list":
      return (
        <TagInput
          {...control}
          value={text === "" ? [] : text.split(",")}
          onChange={(tags) => set(tags.join(","))}
        />
      );
    case "textMap":
    case "decimalMap":
      // Hundreds of models have a table of their own.
      if (isPriceMap(name)) {
        return <JsonEditor {...control} label={label} value={text} onChange={set} height={160} />;
      }
      return <PairsEditor {...props} kind={kind} />;
    case "pairList":
      return <PairsEditor {...props} kind="list" />;
    case "json":
      return <JsonEditor {...control} label={label} value={text} onChange={set} height={160} />;
    case "flag":
    case "number":
    case "text":
    case "address":
    case "email":
    case "decimal": {
      const suffix = unit === undefined ? dollarsOf(name, text, quotaPerUnit) : t(unit);
      return (
        <Input
          {...control}
          value={text}
          inputMode={kind === "number" || kind === "decimal" ? "decimal" : "text"}
          suffix={suffix === undefined ? undefined : <span className="text-xs">{suffix}</span>}
          onChange={(event) => set(event.target.value)}
        />
      );
    }
  }

  function choiceLabel(value: string): string {
    const key = choiceTexts[value];
    return key === undefined ? value : t(key);
  }
}
