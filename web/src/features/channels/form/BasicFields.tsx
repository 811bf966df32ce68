import { useMemo } from "react";
import * as api from "#features/channels/channels.api.ts";
import { useT } from "#i18n/t.ts";
import { useSetFormValue } from "#ui/form/Field.tsx";
import { ChannelTypePicker } from "#widgets/channels/ChannelTypePicker.tsx";
import { providerText } from "#widgets/channels/provider-text.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { F, useChosenType } from "./channel-fields.ts";
import type { ChannelType } from "./channel-form.ts";

/** Type, name and base URL of a channel, and the additional field that some types have. */
export function BasicFields(props: { types: readonly ChannelType[]; isNew: boolean }) {
  const { types, isNew } = props;
  const t = useT();
  const type = useChosenType(types);
  return (
    <>
      <TypeField types={types} isNew={isNew} />
      <F.Text
        name="name"
        label={t("channels.name")}
        required
        placeholder={t("channels.namePlaceholder")}
      />
      <F.Text
        name="base_url"
        label={t("channels.baseUrl")}
        required={type?.base_url === null}
        placeholder={type?.base_url ?? "https://"}
        inputMode="url"
        spellCheck={false}
        help={
          type !== undefined && type.base_url_form !== null
            ? providerText(type.base_url_form, t)
            : t(type?.base_url === null ? "channels.baseUrlHelpRequired" : "channels.baseUrlHelp")
        }
      />
      {type !== undefined && type.other_form !== null && (
        <F.Text name="other" label={providerText(type.other_form, t)} spellCheck={false} />
      )}
    </>
  );
}

/**
 * The field for the channel type. Choosing the type of a new channel fills in the name of the type
 * and the models known for it, unless the user has already changed them.
 */
function TypeField({ types, isNew }: { types: readonly ChannelType[]; isNew: boolean }) {
  const t = useT();
  const models = F.useValue("models");
  const before = F.useValue("type");
  const name = F.useValue("name").trim();
  const setValue = useSetFormValue();
  const modelsOf = (type: number) => types.find((one) => one.type === type)?.models ?? [];
  const labelOf = (type: number) => types.find((one) => one.type === type)?.label ?? "";
  const isUntouched = models.length === 0 || models.join() === modelsOf(before).join();
  const isUnnamed = name === "" || name === labelOf(before);
  return (
    <F.Custom name="type" label={t("channels.type")} required>
      {({ value, onChange, ...control }) => (
        <ChannelTypePicker
          {...control}
          types={types}
          value={value}
          placeholder={t("channels.typePlaceholder")}
          ownAddress={t("channels.ownAddress")}
          onChange={(type) => {
            onChange(type);
            if (isNew && isUntouched) setValue("models", modelsOf(type));
            if (isNew && isUnnamed) setValue("name", labelOf(type));
          }}
        />
      )}
    </F.Custom>
  );
}

/** The channel's groups, priority and weight, and whether failures disable it automatically. */
export function RoutingFields() {
  const t = useT();
  const { data: groups } = api.useGroupNames();
  const items = useMemo(
    () => (groups ?? []).map((group) => ({ value: group, label: group })),
    [groups],
  );
  return (
    <>
      <F.MultiCombobox
        name="groups"
        label={t("channels.groups")}
        about={<HelpOn term="group" word={t("channels.groups")} />}
        required
        items={items}
        creatable
        placeholder={t("channels.groupsPlaceholder")}
        help={t("channels.groupsHelp")}
      />
      <F.Text
        name="tag"
        label={t("channels.tag")}
        placeholder={t("channels.tagPlaceholder")}
        help={t("channels.tagHelp")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <F.Number
          name="priority"
          label={t("channels.priority")}
          about={<HelpOn term="priority" word={t("channels.priority")} />}
          placeholder="0"
          help={t("channels.priorityHelp")}
        />
        <F.Number
          name="weight"
          label={t("channels.weight")}
          about={<HelpOn term="weight" word={t("channels.weight")} />}
          placeholder="0"
          help={t("channels.weightHelp")}
        />
      </div>
      <F.Switch name="auto_ban" label={t("channels.autoBan")} help={t("channels.autoBanHelp")} />
    </>
  );
}
