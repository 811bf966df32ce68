/**
 * What a call asks for, as far as prices, paths and bodies differ. `completions` is text from one
 * prompt, the way before chat.
 */
export type Modality = "chat" | "completions" | "embeddings";
