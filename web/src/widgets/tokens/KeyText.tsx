import { useT } from "#i18n/t.ts";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";

/** The prefix of every token's key. */
export const tokenKeyPrefix = "sk-";

/** A masked key, as `sk-ab12••••wxyz`; its button reads the whole key and copies it. */
export function KeyText(props: {
  /** The key as in the API's answer, without the prefix. */
  masked: string;
  /** The token's name, for the label of the button. */
  name: string;
  /** Reads the whole key, with the prefix. */
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
