import { z } from "zod";
import { pricesSearch } from "./prices.search.ts";

/** Which models the list shows. */
export const modelShows = ["all", "offered", "unpriced", "changed"] as const;
export type ModelShow = (typeof modelShows)[number];

/** `expanded` has the ids of the unfolded brands; `open` says whose prices are edited. */
export const modelsSearch = pricesSearch.extend({ show: z.enum(modelShows).catch("all") });
export type ModelsSearch = z.output<typeof modelsSearch>;
