import * as contract from "@tollgate/contract/endpoints/routes.ts";
import { unixSeconds } from "#base/clock.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { ExplainRoute } from "./routes.ts";

/** Handles the requests of the console API that ask where a call would go. */
export function routeHandlers({
  explainRoute,
}: {
  readonly explainRoute: ExplainRoute;
}): Handler[] {
  return [
    handle(contract.explainRoute, async ({ format, group, model, session, user_id }) => {
      const asked = { formatId: format, group, model, session, userId: user_id };
      const { refused, places, conversation, channels } = explainRoute(asked);
      return {
        refused,
        places,
        conversation_id: conversation,
        channels: channels.map(({ key, keys, openKeys, untilMs, ...channel }) => ({
          ...channel,
          key_count: keys,
          keys_open: openKeys,
          key_number: key,
          until: untilMs === 0 ? 0 : unixSeconds(untilMs),
        })),
      };
    }),
  ];
}
