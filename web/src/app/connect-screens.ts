/** The screens of people who write programs: how to connect, and what can be called. */

import { BookOpen, Braces, Plug } from "lucide-react";
import { withTexts } from "#i18n/t.ts";
import type { Screen } from "./screen.ts";

export const apiDocumentScreen: Screen = {
  path: "/apiDocument",
  title: "app.screenApiDocument",
  access: "admin",
  menu: { group: "manage", icon: Braces, order: 70 },
  load: () =>
    withTexts("apiDocument", import("#features/api-document/ApiDocumentScreen.tsx")).then(
      (m) => m.ApiDocumentScreen,
    ),
};

export const connectScreen: Screen = {
  path: "/connect",
  title: "app.screenConnect",
  access: "user",
  menu: { group: "main", icon: Plug, order: 21 },
  load: () =>
    withTexts("connect", import("#features/connect/ConnectScreen.tsx")).then(
      (m) => m.ConnectScreen,
    ),
};

export const referenceScreen: Screen = {
  path: "/reference",
  title: "app.screenReference",
  access: "public",
  menu: { group: "main", icon: BookOpen, order: 22 },
  load: () =>
    withTexts("reference", import("#features/reference/ReferenceScreen.tsx")).then(
      (m) => m.ReferenceScreen,
    ),
};
