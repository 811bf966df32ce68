/** Says where calls would go. */

import { defineModule, type Given } from "#modules/module.ts";
import { routeHandlers } from "./routes.handlers.ts";

export const routesModule = defineModule({
  needs: [],
  open: ({ explainRoute }: Given) => ({ handlers: routeHandlers({ explainRoute }) }),
});
