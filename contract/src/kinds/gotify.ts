import { address, hiddenText, whole } from "@tollgate/contract/kinds.ts";

/** A Gotify server of the user's. Source: https://gotify.net/docs/pushmsg, as quoted by others. */
export const gotify = {
  id: "gotify",
  fields: {
    url: address({ placeholder: "https://gotify.example.com" }),
    token: { ...hiddenText(200), required: "请填写此项" },
    priority: whole(0, 10, 5),
  },
} as const;
