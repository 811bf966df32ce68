/** The Chinese catalogue: one file an area, named like the folder that uses it. Sorted. */

import app from "./zh/app.json" with { type: "json" };
import channels from "./zh/channels.json" with { type: "json" };
import display from "./zh/display.json" with { type: "json" };
import home from "./zh/home.json" with { type: "json" };
import logs from "./zh/logs.json" with { type: "json" };
import playground from "./zh/playground.json" with { type: "json" };
import settings from "./zh/settings.json" with { type: "json" };
import signIn from "./zh/sign-in.json" with { type: "json" };
import tokens from "./zh/tokens.json" with { type: "json" };
import ui from "./zh/ui.json" with { type: "json" };
import users from "./zh/users.json" with { type: "json" };
import widgets from "./zh/widgets.json" with { type: "json" };

export const zh = {
  app,
  channels,
  display,
  home,
  logs,
  playground,
  settings,
  signIn,
  tokens,
  ui,
  users,
  widgets,
};
