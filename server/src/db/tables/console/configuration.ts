/** What the last applied document of configuration owns. Written by `modules/configuration` only. */
export type ConfiguredThingTable = {
  /** Such as `channel`, see `contract/src/endpoints/configuration.ts`. */
  kind: string;
  name: string;
  /** JSON of its fields as the document has them; secrets are keyed hashes. */
  fields: string;
  /** The file or folder that the document was read from. */
  source: string;
  /** Unix seconds. */
  applied_at: number;
};
