/**
 * The texts that only single screens need, loaded together with the screen: one line an area,
 * sorted.
 */

export const areas = {
  about: { zh: () => import("./zh/about.json"), en: () => import("./en/about.json") },
  account: { zh: () => import("./zh/account.json"), en: () => import("./en/account.json") },
  agents: { zh: () => import("./zh/agents.json"), en: () => import("./en/agents.json") },
  apiDocument: {
    zh: () => import("./zh/api-document.json"),
    en: () => import("./en/api-document.json"),
  },
  audit: { zh: () => import("./zh/audit.json"), en: () => import("./en/audit.json") },
  bills: { zh: () => import("./zh/bills.json"), en: () => import("./en/bills.json") },
  channelStatistics: {
    zh: () => import("./zh/channel-statistics.json"),
    en: () => import("./en/channel-statistics.json"),
  },
  channels: { zh: () => import("./zh/channels.json"), en: () => import("./en/channels.json") },
  chat: { zh: () => import("./zh/chat.json"), en: () => import("./en/chat.json") },
  connect: { zh: () => import("./zh/connect.json"), en: () => import("./en/connect.json") },
  conversations: {
    zh: () => import("./zh/conversations.json"),
    en: () => import("./en/conversations.json"),
  },
  dashboard: { zh: () => import("./zh/dashboard.json"), en: () => import("./en/dashboard.json") },
  entries: { zh: () => import("./zh/entries.json"), en: () => import("./en/entries.json") },
  entry: { zh: () => import("./zh/entry.json"), en: () => import("./en/entry.json") },
  help: { zh: () => import("./zh/help.json"), en: () => import("./en/help.json") },
  home: { zh: () => import("./zh/home.json"), en: () => import("./en/home.json") },
  imports: { zh: () => import("./zh/imports.json"), en: () => import("./en/imports.json") },
  keyQuery: { zh: () => import("./zh/key-query.json"), en: () => import("./en/key-query.json") },
  live: { zh: () => import("./zh/live.json"), en: () => import("./en/live.json") },
  logAnswers: {
    zh: () => import("./zh/log-answers.json"),
    en: () => import("./en/log-answers.json"),
  },
  logs: { zh: () => import("./zh/logs.json"), en: () => import("./en/logs.json") },
  margins: { zh: () => import("./zh/margins.json"), en: () => import("./en/margins.json") },
  orders: { zh: () => import("./zh/orders.json"), en: () => import("./en/orders.json") },
  organisations: {
    zh: () => import("./zh/organisations.json"),
    en: () => import("./en/organisations.json"),
  },
  palette: { zh: () => import("./zh/palette.json"), en: () => import("./en/palette.json") },
  playground: {
    zh: () => import("./zh/playground.json"),
    en: () => import("./en/playground.json"),
  },
  priceBook: {
    zh: () => import("./zh/price-book.json"),
    en: () => import("./en/price-book.json"),
  },
  pricePreview: {
    zh: () => import("./zh/price-preview.json"),
    en: () => import("./en/price-preview.json"),
  },
  priceSources: {
    zh: () => import("./zh/price-sources.json"),
    en: () => import("./en/price-sources.json"),
  },
  prices: { zh: () => import("./zh/prices.json"), en: () => import("./en/prices.json") },
  priceVersions: {
    zh: () => import("./zh/price-versions.json"),
    en: () => import("./en/price-versions.json"),
  },
  pricing: { zh: () => import("./zh/pricing.json"), en: () => import("./en/pricing.json") },
  reference: { zh: () => import("./zh/reference.json"), en: () => import("./en/reference.json") },
  rerates: { zh: () => import("./zh/rerates.json"), en: () => import("./en/rerates.json") },
  redemptions: {
    zh: () => import("./zh/redemptions.json"),
    en: () => import("./en/redemptions.json"),
  },
  security: { zh: () => import("./zh/security.json"), en: () => import("./en/security.json") },
  settings: { zh: () => import("./zh/settings.json"), en: () => import("./en/settings.json") },
  shell: { zh: () => import("./zh/shell.json"), en: () => import("./en/shell.json") },
  start: { zh: () => import("./zh/start.json"), en: () => import("./en/start.json") },
  table: { zh: () => import("./zh/table.json"), en: () => import("./en/table.json") },
  tags: { zh: () => import("./zh/tags.json"), en: () => import("./en/tags.json") },
  tasks: { zh: () => import("./zh/tasks.json"), en: () => import("./en/tasks.json") },
  tokens: { zh: () => import("./zh/tokens.json"), en: () => import("./en/tokens.json") },
  users: { zh: () => import("./zh/users.json"), en: () => import("./en/users.json") },
  verify: { zh: () => import("./zh/verify.json"), en: () => import("./en/verify.json") },
  views: { zh: () => import("./zh/views.json"), en: () => import("./en/views.json") },
  wallet: { zh: () => import("./zh/wallet.json"), en: () => import("./en/wallet.json") },
} as const;

export type Area = keyof typeof areas;

/** The Chinese texts of every area. This type determines which keys `t` accepts. */
export type AreaTexts = {
  readonly [Name in Area]: Awaited<ReturnType<(typeof areas)[Name]["zh"]>>["default"];
};
