/** A worker `apart` that never ends with a call whose input has the word "stuck". */

import { serveDatabase } from "#workers/serve.ts";

declare const self: Parameters<typeof serveDatabase>[0];

serveDatabase(self, (message) => {
  while (JSON.stringify(message.input).includes("stuck"));
  return message;
});
