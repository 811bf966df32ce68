/**
 * one-api, in its schemas of 2024 and 2025: tokens name models and subnets in columns of their own,
 * deleted users have a status, and channel types from 26 on have other numbers than here.
 */

import { findProvider } from "#providers/registry.ts";
import { familyChannels, familyReader, familyTokens } from "./family.ts";

/** The first type whose number means something else here. */
const firstOther = 26;

/** Types of one-api by their numbers, and the same types here. */
const types: Readonly<Record<number, number>> = {
  27: 35, // MiniMax
  28: 42, // Mistral
  29: 1_001, // Groq
  30: 4, // Ollama
  31: 31, // 01.AI
  33: 33, // AWS
  34: 49, // Coze
  35: 34, // Cohere
  36: 43, // DeepSeek
  37: 39, // Cloudflare
  39: 1_002, // Together AI
  40: 45, // Doubao
  42: 41, // Vertex AI
  44: 40, // SiliconFlow
  45: 48, // xAI
  46: 56, // Replicate
  47: 46, // Baidu v2
};

export const oneApi = familyReader({
  kind: "one-api",
  recognizes: (tables) => tables.get("tokens")?.includes("subnet") === true,
  tokens: familyTokens({ models: "models", limited: "", addresses: "subnet" }),
  channels: familyChannels((type) => {
    const own = type < firstOther ? type : types[type];
    return own === undefined || findProvider(own) === undefined ? null : own;
  }),
});
