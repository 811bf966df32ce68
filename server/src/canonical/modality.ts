/**
 * The kinds of calls, which differ in prices, paths and bodies. `completions` continues a text from
 * one prompt; it is the predecessor of chat.
 */
export type Modality =
  | "chat"
  | "completions"
  | "embeddings"
  | "image-edits"
  | "image-variations"
  | "images"
  | "moderations"
  | "realtime"
  | "rerank"
  | "speech"
  | "transcriptions"
  | "translations";
