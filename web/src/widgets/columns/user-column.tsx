/** The column of the user that a row is about, who is found by pressing the name. */

import { Link } from "#ui/controls/Link.tsx";
import type { Column } from "#ui/table/column.ts";

type Named = { readonly username: string };

/** `idOf`: the user's id; `to`: the list in which the name is looked for. */
export function userColumn<Row extends Named>(
  title: string,
  idOf: (row: Row) => number,
  to: "/agents" | "/user" = "/user",
): Column<Row> {
  return {
    id: "username",
    title,
    rank: 1,
    width: 130,
    grow: 1,
    card: "title",
    brief: (row) => row.username,
    csv: (row) => `${idOf(row)} ${row.username}`,
    cell: (row) => (
      <Link to={to} search={{ keyword: row.username }}>
        {row.username} #{idOf(row)}
      </Link>
    ),
  };
}
