/** `npm run conformance`: writes docs/conformance.md. */

import { join } from "node:path";
import { conformancePage } from "./conformance.ts";

await Bun.write(join(import.meta.dir, "../../../docs/conformance.md"), conformancePage());
