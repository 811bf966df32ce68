/**
 * The kind of a call, as far as prices, paths and bodies differ. `completions` is text from one
 * prompt, the predecessor of chat.
 */
export type Modality = "chat" | "completions" | "embeddings";
