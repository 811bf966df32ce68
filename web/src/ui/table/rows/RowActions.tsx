import type { RowAction } from "#ui/table/column.ts";
import { actionLook, dangerActionLook, moreLook } from "#ui/table/cells/row-look.ts";
import { divideActions } from "./RowMenu.tsx";
import { useRowWords } from "#ui/table/cells/row-words.ts";
import type { RowWork } from "./TableRow.tsx";

/** The actions of a row: the first two as buttons, the others in a menu behind a button. */
export function RowActions<Row>(props: {
  readonly row: Row;
  readonly name: string;
  readonly actions: readonly RowAction<Row>[];
  readonly work: Pick<RowWork<Row>, "openMenu">;
}) {
  const { row, name, actions, work } = props;
  const words = useRowWords();
  const { buttons, inMenu } = divideActions(actions, row);
  return (
    <span className="inline-flex items-center justify-end">
      {buttons.map((action) => {
        const reason = action.disabled?.(row);
        const off = reason === undefined ? {} : { "aria-disabled": true, "data-tip": reason };
        return (
          <button
            key={action.key}
            type="button"
            aria-label={words.actionOn(action.label, name)}
            className={
              action.tone === "danger" && reason === undefined ? dangerActionLook : actionLook
            }
            onClick={() => {
              if (reason === undefined) action.onSelect(row);
            }}
            {...off}
          >
            {action.label}
          </button>
        );
      })}
      {inMenu.length > 0 && (
        <button
          type="button"
          aria-haspopup="menu"
          aria-label={words.more(name)}
          className={moreLook}
          onClick={(event) => work.openMenu(row, event.currentTarget, false)}
        />
      )}
    </span>
  );
}
