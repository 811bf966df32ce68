/**
 * Lists of prices that others publish. A sync reads one and makes a draft: what would change, price
 * by price. A person accepts or refuses each line; a scheduled sync saves what the rules of its
 * source allow, and the rest waits.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";
import { bookedPrices } from "./price-versions.ts";

/**
 * The kinds of lists: models.dev, the models of OpenRouter, the map of LiteLLM, what another gateway
 * answers at `/api/pricing` and at `/api/ratio_config`, a catalogue of prices, and CSV as
 * `tollgate prices export` writes it.
 */
export const sourceKind = z.enum([
  "catalogue",
  "csv",
  "gateway-pricing",
  "gateway-ratios",
  "litellm",
  "models-dev",
  "openrouter",
]);
export type SourceKind = z.infer<typeof sourceKind>;

/** Where a list is published; empty: everybody has it elsewhere. */
export const publicAddresses: Readonly<Record<SourceKind, string>> = {
  // Without an address it is the catalogue that this program uses.
  catalogue: "",
  csv: "",
  "gateway-pricing": "",
  "gateway-ratios": "",
  litellm:
    "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
  "models-dev": "https://models.dev/api.json",
  openrouter: "https://openrouter.ai/api/v1/models",
};

/** The most sources that there may be, and the most vendors that a rule names. */
export const sourcesMax = 50;
const ruleVendorsMax = 50;

/** The largest number of hours between two scheduled syncs: a month. */
const everyHoursMax = 744;

/** The longest list that a console sends itself, in characters. */
export const sentTextMax = 250_000;

/** What a sync may do without a person. */
export const sourceRules = z.object({
  /** No price is raised by more than so many percent; null: by any. */
  raise_max: z.number().min(0).max(10_000).nullable().default(null),
  /** Prices that somebody has set by hand stay. */
  keep_hand_set: z.boolean().default(true),
  /** A price per call does not take the place of prices of tokens, nor the other way round. */
  keep_kind: z.boolean().default(true),
  /** Only models of these vendors, as the list or the brands of models name them; empty: of all. */
  vendors: z.array(z.string().trim().min(1).max(100)).max(ruleVendorsMax).default([]),
  /** What the prices of the list are multiplied by. */
  factor: z
    .string()
    .trim()
    .regex(/^\d{1,4}(\.\d{1,4})?$/, "系数必须大于 0，整数最多 4 位，小数最多 4 位")
    .refine((text) => Number(text) > 0, "系数必须大于 0，整数最多 4 位，小数最多 4 位")
    .default("1"),
});
export type SourceRules = z.infer<typeof sourceRules>;

const whole = z.number().int();

const sourceFields = {
  name: z.string().trim().min(1, "请填写名称").max(100),
  kind: sourceKind,
  /** Empty: of a catalogue, the one in use; of others, lists are only sent by hand. */
  url: z
    .string()
    .trim()
    .max(500)
    .refine(
      (url) => url === "" || /^https?:\/\/[^\s]+$/.test(url),
      "地址必须以 http:// 或 https:// 开头",
    )
    .default(""),
  rules: sourceRules.prefault({}),
  /** Hours between two syncs; 0: only by hand. */
  every_hours: whole.min(0).max(everyHoursMax).default(0),
};

const priceSourceRow = z.object({
  id: whole,
  ...sourceFields,
  /** When it was last read, and when it will be by itself, in Unix seconds; 0: never. */
  synced_at: whole,
  next_at: whole,
  /** Why the last sync failed; empty: it did not. */
  error: z.string(),
  /** The newest draft; null: there is none. */
  draft: z
    .object({ id: whole, created_at: whole, waiting: whole, applied: whole, faults: whole })
    .nullable(),
});
export type PriceSourceRow = z.infer<typeof priceSourceRow>;

/** Lists all sources by name. */
export const listPriceSources = endpoint({
  method: "GET",
  path: "/api/prices/sources",
  access: "root",
  input: z.object({}),
  output: z.array(priceSourceRow),
});

export const createPriceSource = endpoint({
  method: "POST",
  path: "/api/prices/sources",
  access: "root",
  input: z.object(sourceFields),
  output: z.object({ id: whole }),
});

/** Changes a source; its drafts stay as they are. */
export const updatePriceSource = endpoint({
  method: "PUT",
  path: "/api/prices/sources/:id",
  access: "root",
  input: z.object({ id, ...sourceFields }),
  output: z.void(),
});

/** Removes a source and its drafts; prices that came from it stay. */
export const removePriceSource = endpoint({
  method: "DELETE",
  path: "/api/prices/sources/:id",
  access: "root",
  input: z.object({ id }),
  output: z.void(),
});

/** Why a line waits for a person. */
export const waitReason = z.enum([
  /** It raises a price by more than the rule allows. */
  "raise",
  /** It lowers a price by more than nine tenths, or makes it free. */
  "fall",
  "hand-set",
  "kind",
  /** The model has no price now, so it could not be called before. */
  "unpriced",
  /** It changes long prompts, tiers or hours in a way that no percentage says. */
  "terms",
]);
export type WaitReason = z.infer<typeof waitReason>;

const draftLine = z.object({
  /** Its place in the draft. */
  line: whole,
  model: z.string(),
  /** A kind of tokens, `perCall`, `steps`, `tiers`, `hours`, `searches.…`, or `all` of the price. */
  field: z.string(),
  /** US dollars as decimals, or JSON of the price book; null: there is none. */
  now: z.string().nullable(),
  proposed: z.string(),
  /** Where the source has it, and of which day. */
  vendor: z.string(),
  entry: z.string(),
  date: z.iso.date(),
  /** By how many percent the price changes; null: no percentage says it. */
  change: z.number().nullable(),
  /** Why the rules do not allow it; empty: they do. */
  waits: z.array(waitReason),
  state: z.enum(["open", "accepted", "refused"]),
  /** Why it could not be saved; empty: nothing stood against it. */
  message: z.string(),
});
export type DraftLine = z.infer<typeof draftLine>;

/** A line of the list that was refused, and why. */
const sourceFault = z.object({ place: z.string(), message: z.string() });
export type SourceFault = z.infer<typeof sourceFault>;

const draftFacts = z.object({
  id: whole,
  source_id: whole,
  source_name: z.string(),
  kind: sourceKind,
  /** Unix seconds. */
  created_at: whole,
  /** Id of the user who began the sync; 0: the schedule. */
  created_by: whole,
  /** `replaced`: a newer sync of the source has taken its place. */
  state: z.enum(["open", "done", "replaced"]),
  /** The lines that wait, that were accepted, and that were refused. */
  waiting: whole,
  accepted: whole,
  refused: whole,
  /** How many lines of the list were refused. */
  faults: whole,
});
export type DraftFacts = z.infer<typeof draftFacts>;

const priceDraft = draftFacts.extend({
  /** How many prices of the list were compared. */
  compared: whole,
  /** How many further changes there are than a draft has lines. */
  more: whole,
  lines: z.array(draftLine),
  /** The first of the refused lines of the list. */
  fault_lines: z.array(sourceFault),
});
export type PriceDraft = z.infer<typeof priceDraft>;

/** Reads the list of a source and makes a draft; nothing is saved of it. */
export const syncPriceSource = endpoint({
  method: "POST",
  path: "/api/prices/sources/:id/sync",
  access: "root",
  input: z.object({
    id,
    /** The list itself; empty: it is read from the address of the source. */
    text: z.string().max(sentTextMax, "文件过大").default(""),
  }),
  output: priceDraft,
});

/** Lists drafts, newest first. */
export const listPriceDrafts = endpoint({
  method: "GET",
  path: "/api/prices/drafts",
  access: "root",
  input: z.object({ ...pageInput }),
  output: page(draftFacts),
});

export const readPriceDraft = endpoint({
  method: "GET",
  path: "/api/prices/drafts/:id",
  access: "root",
  input: z.object({ id }),
  output: priceDraft,
});

/** The most lines of a draft. */
export const draftLinesMax = 10_000;

const lineNumbers = z.array(whole.min(0)).max(draftLinesMax);

/** Says what models would cost with some lines of a draft, in the form in which a preview takes it. */
export const readDraftPrices = endpoint({
  method: "POST",
  path: "/api/prices/drafts/:id/prices",
  access: "root",
  readsOnly: true,
  input: z.object({ id, accept: lineNumbers }),
  output: z.object({
    books: bookedPrices,
    /** The lines that could not be saved, with the reason. */
    refused: z.array(z.object({ line: whole, message: z.string() })),
  }),
});

/**
 * Accepts and refuses lines of a draft. What is accepted is saved as one price version, but for lines
 * whose price has changed since the draft was made; these stay open and say so.
 */
export const decidePriceDraft = endpoint({
  method: "POST",
  path: "/api/prices/drafts/:id",
  access: "root",
  input: z.object({ id, accept: lineNumbers.default([]), refuse: lineNumbers.default([]) }),
  output: priceDraft,
});
