import { importKinds, type ImportView } from "@tollgate/contract/endpoints/imports.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";

/** The names of kinds of rows. */
export const kindNames = {
  user: "imports.users",
  token: "imports.tokens",
  channel: "imports.channels",
  code: "imports.codes",
  order: "imports.orders",
  log: "imports.logs",
} as const satisfies Record<(typeof importKinds)[number], TextKey>;

/** How many rows of each kind were read, and what became of them. */
export function ImportRows({
  rows,
  of,
}: {
  readonly rows: NonNullable<ImportView["progress"]>["rows"];
  /** What the rows are of: the name of an import, or a report. */
  readonly of: string;
}) {
  const t = useT();
  const columns = ["read", "created", "changed", "same", "left"] as const;
  return (
    <PlainTable
      label={t("imports.rowsOf", { name: of })}
      columns={[
        { key: "kind", title: t("imports.kind") },
        { key: "read", title: t("imports.read") },
        { key: "created", title: t("imports.created") },
        { key: "changed", title: t("imports.changed") },
        { key: "same", title: t("imports.same") },
        { key: "left", title: t("imports.left") },
      ]}
      rows={importKinds.map((kind) => ({
        name: t(kindNames[kind]),
        cells: columns.map((column) => (rows[kind]?.[column] ?? 0).toLocaleString("en-US")),
      }))}
    />
  );
}
