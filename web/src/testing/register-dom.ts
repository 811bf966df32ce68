/**
 * Registers happy-dom's globals. A file apart from `dom.ts`, which imports it first, because
 * libraries look for the document while they are loaded.
 */

import { GlobalRegistrator } from "@happy-dom/global-registrator";

if (!GlobalRegistrator.isRegistered) {
  GlobalRegistrator.register({ url: "http://localhost/", width: 1440, height: 900 });
}
