/** Texts of single screens, loaded with the screen: one line an area, sorted. */

export const areas = {
  channels: { zh: () => import("./zh/channels.json"), en: () => import("./en/channels.json") },
  logs: { zh: () => import("./zh/logs.json"), en: () => import("./en/logs.json") },
  playground: {
    zh: () => import("./zh/playground.json"),
    en: () => import("./en/playground.json"),
  },
  settings: { zh: () => import("./zh/settings.json"), en: () => import("./en/settings.json") },
  tokens: { zh: () => import("./zh/tokens.json"), en: () => import("./en/tokens.json") },
  users: { zh: () => import("./zh/users.json"), en: () => import("./en/users.json") },
} as const;

export type Area = keyof typeof areas;

/** The Chinese texts of every area, by area: what `t` can be asked for. */
export type AreaTexts = {
  readonly [Name in Area]: Awaited<ReturnType<(typeof areas)[Name]["zh"]>>["default"];
};
