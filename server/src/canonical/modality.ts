/**
 * The kinds of calls, which differ in prices, paths and bodies. `completions` continues a text from
 * one prompt; it is the predecessor of chat. `compact` makes a conversation shorter.
 */
export type Modality =
  | "chat"
  | "compact"
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
