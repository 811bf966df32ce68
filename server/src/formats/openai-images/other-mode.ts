import type { OtherMode } from "#formats/format.ts";
import { defined, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { typedEvent } from "#formats/shared/upstream/whole-as-stream.ts";

/** A server may answer with pictures where a stream was asked for, or the other way round. */
export const otherMode: OtherMode = {
  toStream({ data, created, ...answer }, modality) {
    const kind = modality === "images" ? "image_generation" : "image_edit";
    const shared = { created_at: created ?? null, ...answer };
    const events = listOf(data).map((each) =>
      typedEvent(`${kind}.completed`, { ...shared, ...objectOf(each) }),
    );
    return events.join("");
  },
  toWhole(events) {
    const ends = events.filter(({ type }) => textOf(type).endsWith(".completed"));
    const [first] = ends;
    if (first === undefined) return undefined;
    const { type: _, b64_json: __, url: ___, created_at, ...shared } = first;
    const data = ends.map(({ b64_json, url }) => defined({ b64_json, url }));
    return { created: created_at ?? null, ...shared, data };
  },
};
