/** A thread that only reads, so that no list of the console ever delays a settlement. */

import { serveDatabase } from "./serve.ts";

declare const self: Parameters<typeof serveDatabase>[0];

serveDatabase(self);
