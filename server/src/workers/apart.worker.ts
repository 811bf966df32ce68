/** A thread for what is stored apart from everything else. It starts when it is first needed. */

import { serveDatabase } from "./serve.ts";
import { withTexts } from "./transcript-texts.ts";

declare const self: Parameters<typeof serveDatabase>[0];

serveDatabase(self, withTexts);
