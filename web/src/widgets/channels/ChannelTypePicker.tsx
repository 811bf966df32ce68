import { useMemo } from "react";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { TypeMark } from "./TypeMark.tsx";

/** What is needed of a kind of channel to choose it; the list comes from the server. */
type TypeChoice = {
  readonly type: number;
  readonly label: string;
  /** Null: each channel brings its own. */
  readonly base_url: string | null;
};

/** Chooses a kind of channel by name, number or address. 0: none is chosen. */
export function ChannelTypePicker(
  props: ControlProps & {
    types: readonly TypeChoice[];
    value: number;
    onChange: (type: number) => void;
    placeholder: string;
    /** What stands below a kind without an address of its own. */
    ownAddress: string;
  },
) {
  const { types, value, onChange, ownAddress, ...control } = props;
  const items = useMemo(
    () =>
      types.map(({ type, label, base_url }) => ({
        value: type,
        label,
        hint: `#${type} · ${base_url ?? ownAddress}`,
        icon: <TypeMark label={label} />,
      })),
    [types, ownAddress],
  );
  return (
    <Combobox {...control} items={items} value={value === 0 ? null : value} onChange={onChange} />
  );
}
