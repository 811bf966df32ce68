import { useT } from "#i18n/t.ts";
import type { Column } from "#ui/table/column.ts";

/**
 * A note below a table: which columns were left out for lack of room, and where the user finds
 * them.
 */
export function LeftColumns({ columns }: { readonly columns: readonly Column<never>[] }) {
  const t = useT();
  if (columns.length === 0) return null;
  return (
    <p
      className="mt-1.5 px-1 text-xs text-muted"
      data-left-ranks={columns.map(({ rank }) => rank).join(" ")}
    >
      {t("ui.tableLeft", {
        count: columns.length,
        names: columns.map(({ title }) => title).join(" · "),
      })}
    </p>
  );
}
