/** The screens of resellers: their own, and root's. */

import { HandCoins, Handshake } from "lucide-react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

const hasAgents = (status: Status): boolean =>
  status.agents_enabled && !status.self_use_mode_enabled;

export const agentScreens: readonly Screen[] = [
  {
    path: "/agent",
    title: "app.screenAgent",
    access: "user",
    menu: { group: "main", icon: Handshake, order: 31 },
    offered: hasAgents,
    load: () =>
      withTexts("agents", import("#features/agents/AgentScreen.tsx")).then((m) => m.AgentScreen),
  },
  {
    path: "/agents",
    title: "app.screenAgents",
    access: "root",
    menu: { group: "manage", icon: Handshake, order: 33 },
    offered: hasAgents,
    outline: "list",
    load: () =>
      withTexts("agents", import("#features/agents/AgentsScreen.tsx")).then((m) => m.AgentsScreen),
  },
];

export const withdrawalsScreen: Screen = {
  path: "/withdrawals",
  title: "app.screenWithdrawals",
  access: "root",
  menu: { group: "manage", icon: HandCoins, order: 34 },
  offered: hasAgents,
  outline: "list",
  load: () =>
    withTexts("agents", import("#features/agents/WithdrawalsScreen.tsx")).then(
      (m) => m.WithdrawalsScreen,
    ),
};
