/**
 * Saved views of lists: the filters, the order and the columns of a list under a name. A user has
 * views of one's own on every device, and sees those that root has saved for everybody.
 */

import { z } from "zod";
import { id } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";

/** The lists that have saved views. */
export const viewedLists = z.enum(["logs"]);
export type ViewedList = z.infer<typeof viewedLists>;

/** The most views of a user, and of the installation, for one list. */
export const savedViewsMax = 50;

/** The longest name of a view, in characters. */
const nameMax = 40;

/** How many values a view has at most, and how long each may be. */
const valuesMax = 40;
const valueMax = 500;
const columnsMax = 100;

const viewBody = z.object({
  /** The values of the list's address. */
  search: z
    .record(z.string().max(100), z.string().max(valueMax))
    .refine((values) => Object.keys(values).length <= valuesMax, "无效的参数"),
  /** The chosen columns in their order; null: the list's own. */
  columns: z
    .array(z.object({ id: z.string().max(100), shown: z.boolean() }))
    .max(columnsMax)
    .nullable(),
});
export type SavedViewBody = z.infer<typeof viewBody>;

const view = viewBody.extend({
  id: z.number().int(),
  name: z.string(),
  /** Whether everybody sees it. */
  shared: z.boolean(),
});
export type SavedView = z.infer<typeof view>;

/** Lists the caller's views of a list and those of the installation, by name. */
export const listViews = endpoint({
  method: "GET",
  path: "/api/view/",
  access: "user",
  input: z.object({ list: viewedLists }),
  output: z.array(view),
});

/** Saves a view; it replaces one of the same name. Only root saves views for everybody. */
export const saveView = endpoint({
  method: "POST",
  path: "/api/view/",
  access: "user",
  input: viewBody.extend({
    list: viewedLists,
    name: z.string().trim().min(1, "名称不能为空").max(nameMax, `名称不能超过 ${nameMax} 个字符`),
    shared: z.boolean().default(false),
  }),
  output: z.number().int(),
});

/** Removes a view of the caller, or, for root, one of the installation. */
export const removeView = endpoint({
  method: "DELETE",
  path: "/api/view/:id",
  access: "user",
  input: z.object({ id }),
  output: z.void(),
});
