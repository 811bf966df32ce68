import type { Generated } from "kysely";

/** What root changed from its default. Written by `modules/options` only. */
export type OptionTable = {
  key: string;
  /** Text as `/api/option/` carries it; of a secret sealed (AES-256-GCM, base64). */
  value: string;
};

/** The whole price list at a time. Immutable. Written by `modules/pricing` only. */
export type PriceVersionTable = {
  id: Generated<number>;
  /** Unix milliseconds from which on calls are charged by it. */
  starts_at: number;
  /** JSON text, see `contract/charge.ts`. Decimals are text. */
  content: string;
  created_by: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Hex SHA-256 over the previous version's hash and the fields above. */
  hash: string;
};
