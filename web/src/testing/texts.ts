/** Loads the texts of every area, for tests that render parts outside of a screen. */

import { type Area, areas } from "#i18n/areas.ts";
import { setLanguage, withTexts } from "#i18n/t.ts";

await setLanguage("zh");
// Safe cast: `Area` is the type of these keys.
for (const area of Object.keys(areas) as Area[]) await withTexts(area, Promise.resolve());
