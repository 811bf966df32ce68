/** Root's screens of prices. */

import { CircleDollarSign } from "lucide-react";
import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

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
