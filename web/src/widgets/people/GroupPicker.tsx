import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { Toned } from "#ui/feedback/Toned.tsx";
import { groupItems, type GroupMap } from "./group-items.ts";

/** Chooses one of the groups that a user may use; shows each with its ratio and description. */
export function GroupPicker(
  props: ControlProps & {
    /** The groups to choose from; undefined: still loading. */
    groups: GroupMap | undefined;
    /** The chosen group; empty: none, which is shown as `emptyLabel` if that is given. */
    value: string;
    onChange: (value: string) => void;
    /**
     * What "no group" means, such as "the user's own". Without this label a group must be chosen.
     */
    emptyLabel?: string | undefined;
    placeholder?: string | undefined;
  },
) {
  const { groups, value, onChange, emptyLabel, placeholder, ...control } = props;
  const t = useT();
  const items = useMemo(() => groupItems(groups ?? {}, t), [groups, t]);
  const isGone = groups !== undefined && value !== "" && !Object.hasOwn(groups, value);
  return (
    <>
      <Combobox
        {...control}
        items={items}
        value={value}
        loading={groups === undefined}
        placeholder={emptyLabel ?? placeholder ?? t("widgets.groupPlaceholder")}
        {...(emptyLabel === undefined
          ? { onChange }
          : { clearable: true, onChange: (group: string | null) => onChange(group ?? "") })}
      />
      {isGone && (
        <p role="alert" className="text-xs">
          <Toned tone="danger">{t("widgets.groupGone")}</Toned>
        </p>
      )}
    </>
  );
}
