import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { MultiCombobox } from "#ui/controls/MultiCombobox.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";

/** Chooses models from a list by name. Names that are not on the list can be typed as well. */
export function ModelPicker(
  props: ControlProps & {
    /** The models to choose from; undefined: still loading. */
    models: readonly string[] | undefined;
    value: readonly string[];
    onChange: (value: string[]) => void;
    placeholder?: string | undefined;
  },
) {
  const { models, value, onChange, placeholder, ...control } = props;
  const t = useT();
  const items = useMemo(
    () =>
      (models ?? []).map((model) => ({
        value: model,
        label: model,
        icon: <ModelMark model={model} />,
      })),
    [models],
  );
  const unknown = models === undefined ? [] : value.filter((model) => !models.includes(model));
  return (
    <div className="flex flex-col gap-1.5">
      <MultiCombobox
        {...control}
        creatable
        items={items}
        loading={models === undefined}
        value={value}
        onChange={onChange}
        placeholder={placeholder ?? t("widgets.modelPlaceholder")}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 text-xs">
        <Muted>
          {t("widgets.modelCount", { count: value.length })}
          {unknown.length > 0 && ` · ${t("widgets.modelUnknown", { count: unknown.length })}`}
        </Muted>
        {value.length > 0 && (
          <Button
            size="sm"
            variant="ghost"
            disabled={control.disabled === true}
            onClick={() => onChange([])}
          >
            {t("widgets.modelClear")}
          </Button>
        )}
      </div>
    </div>
  );
}
