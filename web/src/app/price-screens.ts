/** Root's screens of prices. */

import { CircleDollarSign, FileCheck } from "lucide-react";
import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

/** The bill of an upstream, laid beside the ledger. */
export const billScreen: Screen = {
  path: "/bill",
  title: "app.screenBill",
  access: "root",
  menu: { group: "manage", icon: FileCheck, order: 15 },
  load: () =>
    withTexts("bills", import("#features/bills/BillScreen.tsx")).then((m) => m.BillScreen),
};

export const priceScreens: readonly Screen[] = [
  {
    path: "/prices",
    title: "app.screenPrices",
    access: "root",
    menu: { group: "manage", icon: CircleDollarSign, order: 20 },
    outline: "list",
    load: () =>
      withTexts(
        "settings",
        withTexts("priceBook", withTexts("prices", import("./settings/ModelPricesScreen.tsx"))),
      ).then((m) => m.ModelPricesScreen),
  },
  {
    path: "/prices/rerates",
    title: "app.screenRerates",
    access: "root",
    menu: null,
    outline: "list",
    load: () =>
      withTexts(
        "pricePreview",
        withTexts("rerates", import("#features/rerates/ReratesScreen.tsx")),
      ).then((m) => m.ReratesScreen),
  },
  {
    path: "/prices/sources",
    title: "app.screenPriceSources",
    access: "root",
    menu: null,
    outline: "list",
    load: () =>
      withTexts(
        "priceBook",
        withTexts("priceSources", import("#features/price-sources/PriceSourcesScreen.tsx")),
      ).then((m) => m.PriceSourcesScreen),
  },
  {
    path: "/prices/versions",
    title: "app.screenPriceVersions",
    access: "root",
    menu: null,
    outline: "list",
    load: () =>
      withTexts(
        "priceBook",
        withTexts("priceVersions", import("#features/price-versions/PriceVersionsScreen.tsx")),
      ).then((m) => m.PriceVersionsScreen),
  },
];
