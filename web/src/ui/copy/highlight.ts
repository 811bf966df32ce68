/**
 * Colours code by shiki with its JavaScript engine, because the content security policy forbids
 * WebAssembly, which shiki uses by default. The grammar of each language is loaded when it is first
 * needed.
 */

import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { codeTheme } from "./code-theme.ts";

export type ColouredLine = readonly {
  readonly text: string;
  readonly colour: string | undefined;
}[];

const grammars = {
  bash: () => import("shiki/langs/shellscript.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
} as const;

type Grammar = keyof typeof grammars;

const otherNames: ReadonlyMap<string, Grammar> = new Map([
  ["curl", "bash"],
  ["htm", "html"],
  ["js", "javascript"],
  ["jsonc", "json"],
  ["jsx", "javascript"],
  ["md", "markdown"],
  ["node", "javascript"],
  ["py", "python"],
  ["rs", "rust"],
  ["sh", "bash"],
  ["shell", "bash"],
  ["ts", "typescript"],
  ["tsx", "typescript"],
  ["xml", "html"],
  ["yml", "yaml"],
  ["zsh", "bash"],
]);

/** Lines with more characters than this are data rather than code and stay plain. */
const colourLineUpTo = 2_000;

let opened: Promise<HighlighterCore> | undefined;
const loaded = new Map<Grammar, Promise<void>>();

/** Colours code. Resolves to null if there is no grammar for the language. */
export async function highlight(
  code: string,
  language: string,
): Promise<readonly ColouredLine[] | null> {
  const name = grammarOf(language);
  if (name === null) return null;
  opened ??= createHighlighterCore({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await opened;
  const loading =
    loaded.get(name) ??
    grammars[name]().then((grammar) => highlighter.loadLanguage(grammar.default));
  loaded.set(name, loading);
  await loading;
  const lang = name === "bash" ? "shellscript" : name;
  const { tokens } = highlighter.codeToTokens(code, {
    lang,
    theme: codeTheme.name,
    tokenizeMaxLineLength: colourLineUpTo,
    // Turns shiki's time limit off: on a slow machine it would leave the rest of a line plain.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) => line.map((token) => ({ text: token.content, colour: token.color })));
}

function grammarOf(language: string): Grammar | null {
  const name = language.toLowerCase();
  // Safe cast: `hasOwn` has checked the name.
  if (Object.hasOwn(grammars, name)) return name as Grammar;
  return otherNames.get(name) ?? null;
}
