/** Where the user of a search is, as Responses, Messages and, one level deeper, chat have it. */

import type { Json, JsonObject } from "#base/json.ts";
import type { SearchPlace } from "#canonical/request.ts";
import { asObject, textOf } from "#formats/shared/read-json.ts";

/** Reads a place. Null: none is said. */
export function readPlace(location: Json | undefined): SearchPlace | null {
  const given = asObject(location);
  if (given === undefined) return null;
  const { city, region, country, timezone } = asObject(given["approximate"]) ?? given;
  return {
    city: textOf(city),
    region: textOf(region),
    country: textOf(country),
    timezone: textOf(timezone),
  };
}

/** Writes a place; undefined: there is none. */
export function writePlace(place: SearchPlace | null): JsonObject | undefined {
  return place === null ? undefined : { type: "approximate", ...placeFields(place) };
}

/** Writes the parts of a place that are said. */
export function placeFields(place: SearchPlace): JsonObject {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== ""));
}
