import type { ThemeRegistrationRaw } from "shiki/core";

/**
 * The highlighter's theme. Its colours are CSS variables of the kit, so one theme serves light and
 * dark.
 */
export const codeTheme = {
  name: "tollgate",
  type: "light",
  fg: "var(--ink)",
  bg: "transparent",
  settings: [
    { settings: { foreground: "var(--ink)", background: "transparent" } },
    {
      scope: ["comment", "punctuation.definition.comment"],
      settings: { foreground: "var(--muted)" },
    },
    {
      scope: ["string", "string punctuation", "punctuation.definition.string", "markup.inline.raw"],
      settings: { foreground: "var(--success-ink)" },
    },
    {
      scope: ["constant", "constant.numeric", "constant.language", "support.constant"],
      settings: { foreground: "var(--warning-ink)" },
    },
    {
      scope: ["keyword", "storage", "storage.type", "keyword.operator.word"],
      settings: { foreground: "var(--accent-ink)" },
    },
    {
      scope: ["entity.name.function", "support.function", "entity.name.command", "entity.name.tag"],
      settings: { foreground: "var(--info-ink)" },
    },
    {
      scope: [
        "support.type.property-name",
        "entity.other.attribute-name",
        "variable.other.property",
      ],
      settings: { foreground: "var(--info-ink)" },
    },
    {
      scope: ["support.type.property-name punctuation", "punctuation.support.type.property-name"],
      settings: { foreground: "var(--info-ink)" },
    },
    {
      scope: ["entity.name.type", "support.type", "support.class"],
      settings: { foreground: "var(--warning-ink)" },
    },
    { scope: ["keyword.operator", "punctuation"], settings: { foreground: "var(--muted)" } },
    { scope: ["invalid"], settings: { foreground: "var(--danger-ink)" } },
    { scope: ["markup.heading", "markup.bold"], settings: { fontStyle: "bold" } },
    { scope: ["markup.inserted"], settings: { foreground: "var(--success-ink)" } },
    { scope: ["markup.deleted"], settings: { foreground: "var(--danger-ink)" } },
  ],
} satisfies ThemeRegistrationRaw;
