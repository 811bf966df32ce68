/** The readers of published lists of prices, one line a kind, sorted. */

import type { SourceKind } from "@tollgate/contract/endpoints/price-sources.ts";
import { readCatalogueFile } from "./catalogue.ts";
import { readCsv } from "./csv.ts";
import { readGatewayPricing } from "./gateway-pricing.ts";
import { readGatewayRatios } from "./gateway-ratios.ts";
import { readLiteLlm } from "./litellm.ts";
import { readModelsDev } from "./models-dev.ts";
import { readOpenRouter } from "./openrouter.ts";
import type { SourceReader } from "./source-entries.ts";

export const sourceReaders: Readonly<Record<SourceKind, SourceReader>> = {
  catalogue: readCatalogueFile,
  csv: readCsv,
  "gateway-pricing": readGatewayPricing,
  "gateway-ratios": readGatewayRatios,
  litellm: readLiteLlm,
  "models-dev": readModelsDev,
  openrouter: readOpenRouter,
};
