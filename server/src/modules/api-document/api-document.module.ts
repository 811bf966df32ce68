/** What client programs can call, and the console API as OpenAPI 3.1, from the handlers themselves. */

import { defineModule, type Given } from "#modules/module.ts";
import { apiDocumentHandlers } from "./api-document.handlers.ts";

export const apiDocumentModule = defineModule({
  needs: [],
  open: ({ callable, endpoints, options, program }: Given) => ({
    handlers: apiDocumentHandlers({
      callable,
      endpoints,
      basePath: program.basePath,
      about: () => ({ title: options.read("SystemName"), version: program.version }),
    }),
  }),
});
