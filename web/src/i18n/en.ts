/** The English catalogue: one file an area, named like the folder that uses it. Sorted. */

import app from "./en/app.json" with { type: "json" };
import channels from "./en/channels.json" with { type: "json" };
import display from "./en/display.json" with { type: "json" };
import home from "./en/home.json" with { type: "json" };
import logs from "./en/logs.json" with { type: "json" };
import playground from "./en/playground.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import signIn from "./en/sign-in.json" with { type: "json" };
import tokens from "./en/tokens.json" with { type: "json" };
import ui from "./en/ui.json" with { type: "json" };
import users from "./en/users.json" with { type: "json" };
import widgets from "./en/widgets.json" with { type: "json" };

export const en = {
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
