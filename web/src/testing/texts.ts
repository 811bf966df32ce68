/** Loads every text, for tests of parts outside any screen. */

import { type Area, areas } from "#i18n/areas.ts";
import { setLanguage, withTexts } from "#i18n/t.ts";

await setLanguage("zh");
// `Area` is the type of these keys.
for (const area of Object.keys(areas) as Area[]) await withTexts(area, Promise.resolve());
