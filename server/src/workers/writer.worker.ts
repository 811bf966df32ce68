/** The only thread that writes to the database. */

import { serveDatabase } from "./serve.ts";

declare const self: Parameters<typeof serveDatabase>[0];

serveDatabase(self);
