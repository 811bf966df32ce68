import { inTypeOrder } from "@tollgate/contract/words/brands.ts";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import type { Filter } from "#ui/table/column.ts";
import { choiceFilter } from "#ui/table/tools/choice-filter.ts";
import { ModelMark, TypeMark } from "#widgets/brands/BrandMark.tsx";
import { typeWords } from "#widgets/channels/type-words.ts";
import type { ChannelType } from "./form/channel-form.ts";
import * as api from "./channels.api.ts";

/** Makes the filters of the channel list, with the types, groups and models to choose from. */
export function useChannelFilters(types: readonly ChannelType[] | undefined): readonly Filter[] {
  const t = useT();
  const { data: groups } = api.useGroupNames();
  const { data: models } = api.useModelNames();
  return useMemo(
    () => [
      {
        kind: "combobox",
        name: "group",
        label: t("channels.group"),
        items: (groups ?? []).map((group) => ({ value: group, label: group })),
      },
      {
        kind: "combobox",
        name: "model",
        label: t("channels.model"),
        items: (models ?? []).map((model) => ({
          value: model,
          label: model,
          icon: <ModelMark model={model} />,
        })),
        creatable: true,
      },
      choiceFilter("status", t("channels.status"), {
        1: t("channels.statusEnabled"),
        2: t("channels.statusDisabled"),
        3: t("channels.statusAutomatic"),
      }),
      choiceFilter("test", t("channels.lastTest"), {
        "": t("channels.anyTest"),
        failed: t("channels.testFailedShort"),
      }),
      {
        kind: "combobox",
        name: "type",
        label: t("channels.type"),
        items: inTypeOrder(types ?? []).map(({ type, label }) => ({
          value: String(type),
          label,
          words: typeWords(label),
          icon: <TypeMark type={type} label={label} />,
        })),
      },
    ],
    [t, groups, models, types],
  );
}
