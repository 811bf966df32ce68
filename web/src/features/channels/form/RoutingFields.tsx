import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import * as api from "#features/channels/channels.api.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { F } from "./channel-fields.ts";

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
