/** Root's screens with sums of all calls. */

import { ChartColumn, Scale } from "lucide-react";
import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

export const channelStatisticsScreen: Screen = {
  path: "/channelStatistics",
  title: "app.screenChannelStatistics",
  access: "root",
  menu: { group: "manage", icon: ChartColumn, order: 12 },
  outline: "list",
  load: () =>
    withTexts(
      "channelStatistics",
      import("#features/channel-statistics/ChannelStatisticsScreen.tsx"),
    ).then((m) => m.ChannelStatisticsScreen),
};

export const marginsScreen: Screen = {
  path: "/margins",
  title: "app.screenMargins",
  access: "root",
  menu: { group: "manage", icon: Scale, order: 14 },
  outline: "list",
  load: () =>
    withTexts("margins", import("#features/margins/MarginsScreen.tsx")).then(
      (m) => m.MarginsScreen,
    ),
};
