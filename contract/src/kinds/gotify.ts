import { address, hiddenText, whole } from "./kinds.ts";

/**
 * What a user sets to be notified through a Gotify server of the user's own. Source:
 * https://gotify.net/docs/pushmsg, as other projects quote it.
 */
export const gotify = {
  id: "gotify",
  fields: {
    url: address({ placeholder: "https://gotify.example.com" }),
    token: { ...hiddenText(200), required: "请填写此项" },
    priority: whole(0, 10, 5),
  },
} as const;
