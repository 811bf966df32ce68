/** One page of a list, and how many rows the list has. */

import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { SelectQueryBuilder } from "kysely";

/** One page of items, and the number of all. */
export type Paged<Item> = { readonly items: Item[]; readonly total: number };

/** Reads one page of the rows of a query that has its order, and counts all of them. */
export async function readPaged<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { page, page_size }: PageWindow,
): Promise<Paged<Row>> {
  const items = await query
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const { total } = await query
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .$castTo<{ readonly total: number }>()
    .executeTakeFirstOrThrow();
  return { items, total: Number(total) };
}
