/**
 * The Chinese texts that every page needs, one file an area. The texts of single screens are in
 * `areas.ts`.
 */

import app from "./zh/app.json" with { type: "json" };
import signIn from "./zh/sign-in.json" with { type: "json" };
import ui from "./zh/ui.json" with { type: "json" };
import widgets from "./zh/widgets.json" with { type: "json" };
import server from "./zh/server.json";

export const zh = { app, signIn, ui, widgets };

/**
 * The server's messages that need other words in Chinese: so few that they are not loaded
 * separately.
 */
export const messages = server;
