import type { Generated } from "kysely";

/**
 * Options that root changed. An option without a row has its default. Written by `modules/options`
 * only.
 */
export type OptionTable = {
  key: string;
  /** The value as text, as in `/api/option/`; a secret is sealed (AES-256-GCM, base64). */
  value: string;
};

/** Versions of the whole price list. Rows never change. Written by `modules/pricing` only. */
export type PriceVersionTable = {
  id: Generated<number>;
  /** From this time on, in Unix milliseconds, calls are charged by this version. */
  starts_at: number;
  /** JSON text, see `contract/src/money/charge.ts`. Decimals are text. */
  content: string;
  created_by: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Why it was made, as root said; empty: nobody said. */
  reason: Generated<string>;
  /** Hex SHA-256 over the previous version's hash and the fields above. */
  hash: string;
};

/**
 * Versions of the cost lists of channels: what each charges. Rows never change, and stay when their
 * channel is removed. Written by `modules/costs` only.
 */
export type CostVersionTable = {
  id: Generated<number>;
  channel_id: number;
  /** Unix milliseconds. */
  starts_at: number;
  /** JSON text, see `contract/src/endpoints/costs.ts`. Decimals are text. */
  content: string;
  created_by: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Hex SHA-256 over the previous version's hash, of whichever channel, and the fields above. */
  hash: string;
};
