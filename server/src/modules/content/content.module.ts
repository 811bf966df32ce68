/** Notice, about page and home page as root wrote them. */

import { imageOrigins } from "@tollgate/contract/endpoints/content.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { contentHandlers, framedOrigins } from "./content.handlers.ts";

export const contentModule = defineModule({
  needs: [],
  open: ({ options }: Given) => ({
    handlers: contentHandlers({ readOption: options.read }),
    pageSources: () => ({
      scripts: [],
      frames: framedOrigins(options.read),
      images: imageOrigins(options.read("Logo")),
      popups: false,
    }),
  }),
});
