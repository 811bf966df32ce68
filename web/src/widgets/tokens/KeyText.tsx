import { useT } from "#i18n/t.ts";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";

/** The prefix of all token keys, which the API leaves out. */
export const tokenKeyPrefix = "sk-";

/**
 * A masked token key, such as `sk-ab12••••wxyz`, with a button that reads the whole key and copies
 * it.
 */
export function KeyText(props: {
  /** The masked key as the API answers it, without the prefix. */
  masked: string;
  /** The token's name, for the accessible label of the button. */
  name: string;
  /** Reads the whole key, including the prefix. */
  read: () => Promise<string>;
}) {
  const t = useT();
  return (
    <CopyCell
      text={tokenKeyPrefix + props.masked}
      read={props.read}
      label={t("widgets.keyOf", { name: props.name })}
    />
  );
}
