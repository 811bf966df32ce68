/**
 * The Chinese texts that every page needs, one file an area; those of single screens: `areas.ts`.
 */

import app from "./zh/app.json" with { type: "json" };
import signIn from "./zh/sign-in.json" with { type: "json" };
import ui from "./zh/ui.json" with { type: "json" };
import widgets from "./zh/widgets.json" with { type: "json" };
import server from "./zh/server.json";

export const zh = { app, signIn, ui, widgets };

/** Few, so that they need no file of their own. */
export const messages = server;
