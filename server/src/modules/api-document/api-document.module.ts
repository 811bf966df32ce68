/** The console API as OpenAPI 3.1, from the endpoints of all handlers. */

import { defineModule, type Given } from "#modules/module.ts";
import { apiDocumentHandlers } from "./api-document.handlers.ts";

export const apiDocumentModule = defineModule({
  needs: [],
  open: ({ endpoints, options, program }: Given) => ({
    handlers: apiDocumentHandlers({
      endpoints,
      basePath: program.basePath,
      about: () => ({ title: options.read("SystemName"), version: program.version }),
    }),
  }),
});
