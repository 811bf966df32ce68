/** A thread that only reads, so that a long list in the console never delays a settlement. */

import { serveDatabase } from "./serve.ts";

declare const self: Parameters<typeof serveDatabase>[0];

serveDatabase(self);
