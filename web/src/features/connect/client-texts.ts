/** What the page says of each program: where its fields are. */

import type { TextKey } from "#i18n/t.ts";

/** By a program's id; one that is not here needs no words. */
export const clientTexts: Readonly<Record<string, TextKey>> = {
  "cherry-studio": "connect.cherryStudio",
  cline: "connect.cline",
  codex: "connect.codex",
  cursor: "connect.cursor",
  dify: "connect.dify",
  librechat: "connect.libreChat",
  n8n: "connect.n8n",
  "open-webui": "connect.openWebUi",
  other: "connect.otherText",
};
