import { z } from "zod";
import { pricesSearch } from "./prices.search.ts";

/** The choices of which models the list shows. */
export const modelShows = ["all", "offered", "unpriced", "changed"] as const;
export type ModelShow = (typeof modelShows)[number];

/**
 * The screen's part of the address. `expanded` has the ids of unfolded brands; `open` names the
 * model whose prices are being edited.
 */
export const modelsSearch = pricesSearch.extend({ show: z.enum(modelShows).catch("all") });
export type ModelsSearch = z.output<typeof modelsSearch>;
