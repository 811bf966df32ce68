import { useT } from "#i18n/t.ts";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";

/** What stands before every token's key. */
export const tokenKeyPrefix = "sk-";

/** A masked key, as `sk-ab12••••wxyz`; its button fetches the whole one and copies it. */
export function KeyText(props: {
  /** As the API answers it, without the prefix. */
  masked: string;
  /** Whose key, for the button's name. */
  name: string;
  /** The whole key, with the prefix. */
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
