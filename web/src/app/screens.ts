/** Every screen of the console, one entry each. The router and the side menu are made from them. */

import {
  Activity,
  ChartNoAxesColumn,
  Clapperboard,
  FileSearch,
  KeyRound,
  KeySquare,
  LayoutDashboard,
  MessageSquare,
  Network,
  Palette,
  ReceiptText,
  ScrollText,
  Settings,
  ShieldCheck,
  Ticket,
  Users,
  Wallet,
  Waypoints,
} from "lucide-react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { withTexts } from "#i18n/t.ts";
import { agentScreens, withdrawalsScreen } from "./agent-screens.ts";
import { apiDocumentScreen, connectScreen, referenceScreen } from "./connect-screens.ts";
import { conversationScreen, sharedScreen } from "./conversation-screens.ts";
import { billScreen, priceScreens } from "./price-screens.ts";
import { channelStatisticsScreen, marginsScreen } from "./sum-screens.ts";
import type { Screen } from "./screen.ts";
import { userLinkScreens } from "./user-link-screens.ts";

/**
 * Loads the screen that shows the chat client named in the address. `side-menu-entries.ts` makes
 * the menu entries of chat clients.
 */
const loadChat = () =>
  withTexts("chat", import("#features/chat/ChatScreen.tsx")).then((m) => m.ChatScreen);

/** Whether the gateway is used by others who pay, and not by its owner alone. */
const hasPayment = (status: Status): boolean => !status.self_use_mode_enabled;

export const screens: readonly Screen[] = [
  {
    path: "/",
    title: "app.home",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("home", import("#features/home/HomeScreen.tsx")).then((m) => m.HomeScreen),
  },
  {
    path: "/about",
    title: "app.screenAbout",
    access: "public",
    menu: null,
    load: () =>
      withTexts("about", import("#features/about/AboutScreen.tsx")).then((m) => m.AboutScreen),
  },
  ...agentScreens,
  apiDocumentScreen,
  {
    path: "/audit",
    title: "app.screenAudit",
    access: "root",
    menu: { group: "manage", icon: ShieldCheck, order: 60 },
    outline: "list",
    load: () =>
      withTexts("audit", import("#features/audit/AuditScreen.tsx")).then((m) => m.AuditScreen),
  },
  billScreen,
  {
    path: "/channel",
    title: "app.screenChannels",
    access: "admin",
    menu: { group: "manage", icon: Network, order: 10 },
    outline: "list",
    load: () =>
      withTexts(
        "priceBook",
        withTexts("channels", import("#features/channels/ChannelsScreen.tsx")),
      ).then((m) => m.ChannelsScreen),
  },
  channelStatisticsScreen,
  {
    path: "/chat",
    title: "app.screenChat",
    access: "public",
    menu: null,
    frame: "bare",
    load: loadChat,
  },
  {
    path: "/chat/$id",
    title: "app.screenChat",
    access: "public",
    menu: null,
    frame: "bare",
    load: loadChat,
  },
  {
    path: "/chat2link",
    title: "app.screenChat",
    access: "public",
    menu: null,
    frame: "bare",
    load: loadChat,
  },
  connectScreen,
  conversationScreen,
  {
    path: "/detail",
    title: "app.screenDashboard",
    access: "user",
    menu: { group: "main", icon: LayoutDashboard, order: 5 },
    offered: (status) => status.enable_data_export,
    load: () =>
      withTexts("dashboard", import("#features/dashboard/DashboardScreen.tsx")).then(
        (m) => m.DashboardScreen,
      ),
  },
  {
    path: "/help",
    title: "app.screenHelp",
    access: "public",
    menu: null,
    load: () =>
      withTexts("help", import("#features/help/HelpScreen.tsx")).then((m) => m.HelpScreen),
  },
  {
    path: "/import",
    title: "app.screenImports",
    access: "root",
    menu: null,
    load: () =>
      withTexts("imports", import("#features/imports/ImportsScreen.tsx")).then(
        (m) => m.ImportsScreen,
      ),
  },
  {
    path: "/live",
    title: "app.screenLive",
    access: "user",
    menu: { group: "main", icon: Activity, order: 41 },
    outline: "list",
    load: () =>
      withTexts("live", import("#features/live/LiveScreen.tsx")).then((m) => m.LiveScreen),
  },
  {
    path: "/log",
    title: "app.screenLogs",
    access: "user",
    menu: { group: "main", icon: ScrollText, order: 40 },
    outline: "list",
    load: () =>
      withTexts("logs", import("#features/logs/LogsScreen.tsx")).then((m) => m.LogsScreen),
  },
  {
    path: "/login",
    title: "app.login",
    access: "public",
    menu: null,
    frame: "light",
    load: () => import("#features/sign-in/LoginScreen.tsx").then((m) => m.LoginScreen),
  },
  marginsScreen,
  {
    path: "/midjourney",
    title: "app.screenDrawings",
    access: "user",
    menu: { group: "main", icon: Palette, order: 42 },
    offered: (status) => status.enable_drawing,
    outline: "list",
    load: () =>
      withTexts("tasks", import("#features/tasks/TasksScreen.tsx")).then((m) => m.DrawingsScreen),
  },
  {
    path: "/newChannel",
    title: "app.screenNewChannels",
    access: "root",
    menu: { group: "manage", icon: Waypoints, order: 11 },
    outline: "list",
    load: () =>
      withTexts(
        "priceBook",
        withTexts("channels", import("#features/channels/ChannelsScreen.tsx")),
      ).then((m) => m.NewChannelsScreen),
  },
  {
    path: "/newLog",
    title: "app.screenNewLogs",
    access: "root",
    menu: { group: "manage", icon: FileSearch, order: 41 },
    outline: "list",
    load: () =>
      withTexts("logs", import("#features/logs/LogsScreen.tsx")).then((m) => m.NewLogsScreen),
  },
  {
    path: "/newToken",
    title: "app.screenNewTokens",
    access: "root",
    menu: { group: "manage", icon: KeySquare, order: 32 },
    outline: "list",
    load: () =>
      withTexts("tokens", import("#features/tokens/TokensScreen.tsx")).then(
        (m) => m.NewTokensScreen,
      ),
  },
  {
    path: "/newUser",
    title: "app.screenNewUsers",
    access: "root",
    menu: { group: "manage", icon: ChartNoAxesColumn, order: 31 },
    outline: "list",
    load: () =>
      withTexts("users", import("#features/users/UsersScreen.tsx")).then((m) => m.NewUsersScreen),
  },
  {
    path: "/oauth/$type",
    title: "signIn.oauth",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/OauthScreen.tsx")).then((m) => m.OauthScreen),
  },
  {
    path: "/order",
    title: "app.screenOrders",
    access: "root",
    menu: { group: "manage", icon: ReceiptText, order: 39 },
    offered: hasPayment,
    outline: "list",
    load: () =>
      withTexts("orders", import("#features/orders/OrdersScreen.tsx")).then((m) => m.OrdersScreen),
  },
  {
    path: "/playground",
    title: "app.screenPlayground",
    access: "user",
    menu: { group: "main", icon: MessageSquare, order: 10 },
    load: () =>
      withTexts("playground", import("#features/playground/PlaygroundScreen.tsx")).then(
        (m) => m.PlaygroundScreen,
      ),
  },
  ...priceScreens,
  {
    path: "/pricing",
    title: "app.screenPricing",
    access: "public",
    menu: null,
    offered: hasPayment,
    outline: "list",
    load: () =>
      withTexts("pricing", import("#features/pricing/PricingScreen.tsx")).then(
        (m) => m.PricingScreen,
      ),
  },
  {
    path: "/query",
    title: "app.screenQuery",
    access: "public",
    menu: null,
    outline: "list",
    load: () =>
      withTexts("keyQuery", import("#features/key-query/KeyQueryScreen.tsx")).then(
        (m) => m.KeyQueryScreen,
      ),
  },
  {
    path: "/redemption",
    title: "app.screenRedemptions",
    access: "root",
    menu: { group: "manage", icon: Ticket, order: 40 },
    offered: hasPayment,
    outline: "list",
    load: () =>
      withTexts("redemptions", import("#features/redemptions/RedemptionsScreen.tsx")).then(
        (m) => m.RedemptionsScreen,
      ),
  },
  referenceScreen,
  {
    path: "/register",
    title: "signIn.register",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/RegisterScreen.tsx")).then(
        (m) => m.RegisterScreen,
      ),
  },
  {
    path: "/reset",
    title: "signIn.reset",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/ResetScreen.tsx")).then((m) => m.ResetScreen),
  },
  {
    path: "/setting",
    title: "app.screenSettings",
    access: "user",
    menu: { group: "main", icon: Settings, order: 90 },
    outline: "settings",
    load: () =>
      withTexts("settings", import("./settings/SettingsScreen.tsx")).then((m) => m.SettingsScreen),
  },
  {
    path: "/setup",
    title: "app.setup",
    access: "public",
    menu: null,
    frame: "bare",
    load: () =>
      withTexts("entry", import("#features/sign-in/SetupScreen.tsx")).then((m) => m.SetupScreen),
  },
  sharedScreen,
  {
    path: "/start",
    title: "app.screenStart",
    access: "user",
    // The side menu links to it at its foot, as long as steps are left: `app/StartNote.tsx`.
    menu: null,
    load: () =>
      withTexts("start", withTexts("tokens", import("#features/start/StartScreen.tsx"))).then(
        (m) => m.StartScreen,
      ),
  },
  {
    path: "/task",
    title: "app.screenTasks",
    access: "user",
    menu: { group: "main", icon: Clapperboard, order: 43 },
    offered: (status) => status.enable_task,
    outline: "list",
    load: () =>
      withTexts("tasks", import("#features/tasks/TasksScreen.tsx")).then((m) => m.TasksScreen),
  },
  {
    path: "/token",
    title: "app.screenTokens",
    access: "user",
    menu: { group: "main", icon: KeyRound, order: 20 },
    outline: "list",
    load: () =>
      withTexts("tokens", import("#features/tokens/TokensScreen.tsx")).then((m) => m.TokensScreen),
  },
  {
    path: "/topup",
    title: "app.screenWallet",
    access: "user",
    menu: { group: "main", icon: Wallet, order: 30 },
    offered: hasPayment,
    load: () =>
      withTexts("wallet", import("#features/wallet/WalletScreen.tsx")).then((m) => m.WalletScreen),
  },
  {
    path: "/user",
    title: "app.screenUsers",
    access: "admin",
    menu: { group: "manage", icon: Users, order: 30 },
    outline: "list",
    load: () =>
      withTexts("users", import("#features/users/UsersScreen.tsx")).then((m) => m.UsersScreen),
  },
  ...userLinkScreens,
  {
    path: "/verify",
    title: "app.screenVerify",
    access: "public",
    menu: null,
    load: () =>
      withTexts("entries", withTexts("verify", import("#features/verify/VerifyScreen.tsx"))).then(
        (m) => m.VerifyScreen,
      ),
  },
  withdrawalsScreen,
];
