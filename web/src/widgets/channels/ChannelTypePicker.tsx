import { inTypeOrder, isDatedType } from "@tollgate/contract/words/brands.ts";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { TypeMark } from "#widgets/brands/BrandMark.tsx";
import { typeWords } from "./type-words.ts";

/** The fields of a channel type that the picker shows; the list of types comes from the server. */
type TypeChoice = {
  readonly type: number;
  readonly label: string;
  /** The type's default base URL; null: each channel of this type has its own. */
  readonly base_url: string | null;
};

/**
 * Chooses a channel type, found by name, number or base URL; popular types come first. The value 0
 * means that no type is chosen.
 */
export function ChannelTypePicker(
  props: ControlProps & {
    types: readonly TypeChoice[];
    value: number;
    onChange: (type: number) => void;
    placeholder: string;
    /** The text shown in place of the base URL for types whose channels each have their own. */
    ownAddress: string;
  },
) {
  const { types, value, onChange, ownAddress, ...control } = props;
  const t = useT();
  const items = useMemo(
    () =>
      inTypeOrder(types).map(({ type, label, base_url }) => ({
        value: type,
        label,
        hint: [
          `#${type}`,
          ...(isDatedType(type) ? [t("widgets.typeDated")] : []),
          base_url ?? ownAddress,
        ].join(" · "),
        words: typeWords(label),
        icon: <TypeMark type={type} label={label} />,
      })),
    [types, ownAddress, t],
  );
  return (
    <Combobox {...control} items={items} value={value === 0 ? null : value} onChange={onChange} />
  );
}
