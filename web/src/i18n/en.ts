/**
 * The English texts that every page needs, one file an area. The texts of single screens are in
 * `areas.ts`.
 */

import app from "./en/app.json" with { type: "json" };
import signIn from "./en/sign-in.json" with { type: "json" };
import ui from "./en/ui.json" with { type: "json" };
import widgets from "./en/widgets.json" with { type: "json" };

export const en = { app, signIn, ui, widgets };
