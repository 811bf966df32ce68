/** Every text, for tests of parts that stand in no screen. */

import { type Area, areas } from "#i18n/areas.ts";
import { setLanguage, withTexts } from "#i18n/t.ts";

await setLanguage("zh");
// The keys of `areas` are what `Area` says.
for (const area of Object.keys(areas) as Area[]) await withTexts(area, Promise.resolve());
