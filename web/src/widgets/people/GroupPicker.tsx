import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { Toned } from "#ui/feedback/Toned.tsx";
import { groupItems, type GroupMap } from "./group-items.ts";

/** One of the groups somebody may use, with its ratio and what it is for. */
export function GroupPicker(
  props: ControlProps & {
    /** Undefined: still loading. */
    groups: GroupMap | undefined;
    /** Empty: `emptyLabel`, where that is given. */
    value: string;
    onChange: (value: string) => void;
    /** What no group means, such as "the own one"; without it a group has to be chosen. */
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
