/**
 * The table of brands: which company makes a model or runs a channel type. The patterns of model
 * names follow the names in the vendors' documents.
 */

export type Brand = {
  /** Name of the brand in code, and key of its logo in the console (`mark-texts.ts`). */
  readonly id: string;
  readonly name: string;
  /** Numbers of the channel types of this brand. */
  readonly types: readonly number[];
  /**
   * Pattern of the brand's model names: matches a name in lower case, or a part of it between
   * slashes. Null: the brand makes no models.
   */
  readonly models: RegExp | null;
  /**
   * Hue, in degrees of the OKLCH colour circle, of the letter that stands in for a missing logo.
   */
  readonly hue: number;
};

/** Every brand, sorted by id. */
export const brands: readonly Brand[] = [
  brand("01-ai", "01.AI", [31], /^(yi-|01-?ai)/, 150),
  brand("360", "360", [19], /^360/, 150),
  brand("ai-proxy", "AI Proxy", [10, 21], null, 250),
  brand("aigc2d", "AIGC2D", [13], null, 300),
  brand("ails", "AILS", [9], null, 200),
  brand("alibaba", "Qwen", [17], /^(qwen|qwq|qvq|tongyi|wanx?\d|text-embedding-v\d|gte-)/, 285),
  brand(
    "anthropic",
    "Anthropic",
    [14],
    /^(claude|anthropic|(us|eu|apac|jp|global)\.anthropic\.)/,
    45,
  ),
  brand("api2gpt", "API2GPT", [12], null, 160),
  brand("aws", "AWS", [33], /^(amazon|nova-(?!\d)|titan-)/, 60),
  brand("azure", "Azure", [3], null, 245),
  brand("baai", "BAAI", [], /^(bge-|baai)/, 250),
  brand("baichuan", "Baichuan", [], /^baichuan/, 50),
  brand("baidu", "Baidu", [15, 46], /^(ernie|wenxin|qianfan|baidu|bce-)/, 265),
  brand("black-forest-labs", "Black Forest Labs", [], /^(flux|black-forest)/, 280),
  brand(
    "bytedance",
    "ByteDance",
    [45, 51, 54],
    /^(doubao|skylark|seed-|seedream|seedance|jimeng|bytedance|ep-\d)/,
    250,
  ),
  brand("cerebras", "Cerebras", [1004], null, 30),
  brand("cloudflare", "Cloudflare", [39], /^@cf$/, 55),
  brand("cohere", "Cohere", [34], /^(command|c4ai|cohere|embed-|rerank-(english|multi|v))/, 30),
  brand("coze", "Coze", [49], /^coze/, 280),
  brand("custom", "Custom", [8], null, 280),
  brand("deepgram", "Deepgram", [1013], /^(nova-\d|aura-|deepgram)/, 160),
  brand("deepseek", "DeepSeek", [43], /^deepseek/, 270),
  brand("dify", "Dify", [37], null, 265),
  brand("elevenlabs", "ElevenLabs", [1012], /^(eleven_|scribe_|elevenlabs)/, 0),
  brand("fastgpt", "FastGPT", [22], null, 265),
  brand("fireworks", "Fireworks AI", [1003], null, 300),
  brand(
    "google",
    "Gemini",
    [11, 24],
    /^(gemini|gemma|google|palm|imagen|veo-|learnlm|(text|chat)-bison|(text-)?embedding-0)/,
    260,
  ),
  brand("groq", "Groq", [1001], null, 25),
  brand("hugging-face", "Hugging Face", [1005], null, 90),
  brand("hunyuan", "Tencent Hunyuan", [23], /^(hunyuan|tencent)/, 260),
  brand("iflytek", "iFLYTEK Spark", [18], /^(spark|iflytek)/, 255),
  brand("jina", "Jina AI", [38], /^jina/, 200),
  brand("kling", "Kling", [50], /^kling/, 190),
  brand("llama-cpp", "llama.cpp", [1008], null, 60),
  brand("lm-studio", "LM Studio", [1009], null, 290),
  brand("meta", "Meta", [], /^(llama|meta|codellama)/, 258),
  brand("microsoft", "Microsoft", [], /^(phi-?\d|microsoft|wizardlm|mai-)/, 240),
  brand("midjourney", "Midjourney", [2, 5], /^(mj[-_]|midjourney|swap_face$)/, 260),
  brand("minimax", "MiniMax", [35], /^(minimax|abab|hailuo|speech-0\d|image-01)/, 15),
  brand(
    "mistral",
    "Mistral",
    [42],
    /^(mistral|mixtral|ministral|codestral|magistral|devstral|pixtral|voxtral|open-mi)/,
    55,
  ),
  brand("moka", "MokaAI", [44], /^(m3e|moka)/, 330),
  brand("moonshot", "Moonshot", [25], /^(kimi|moonshot)/, 270),
  brand("nvidia", "NVIDIA", [1006], /^(nvidia|nemotron)/, 130),
  brand("ohmygpt", "OhMyGPT", [7], null, 340),
  brand("ollama", "Ollama", [4], null, 260),
  brand(
    "openai",
    "OpenAI",
    [1, 55, 57],
    new RegExp(
      "^(gpt|chatgpt|o[1-9](-|$)|dall-e|sora|codex|computer-use|(omni|text)-moderation|openai|" +
        "tts-1|whisper|davinci|babbage|text-(davinci|curie|babbage|ada)|text-embedding-(3|ada))",
    ),
    165,
  ),
  brand("openaimax", "OpenAIMax", [6], null, 20),
  brand("openrouter", "OpenRouter", [20], /^openrouter$/, 270),
  brand("perplexity", "Perplexity", [27], /^(sonar|pplx|perplexity|r1-1776)/, 200),
  brand("replicate", "Replicate", [56], null, 30),
  brand("sglang", "SGLang", [1010], null, 40),
  brand("siliconflow", "SiliconFlow", [40], null, 290),
  brand("stability", "Stability AI", [], /^(stable-|sd3|sdxl|stability)/, 295),
  brand("stepfun", "StepFun", [], /^step-/, 250),
  brand("submodel", "Submodel", [53], null, 20),
  brand("suno", "Suno", [36], /^(suno|chirp)/, 40),
  brand("together", "Together AI", [1002], null, 250),
  brand("unspecified", "Unspecified", [0], null, 230),
  brand("vertex-ai", "Vertex AI", [41], null, 260),
  brand("vidu", "Vidu", [52], /^vidu/, 200),
  brand("vllm", "vLLM", [1007], null, 90),
  brand("voyage", "Voyage AI", [1011], /^voyage/, 200),
  brand("xai", "xAI", [48], /^(grok|x-?ai)/, 260),
  brand("xinference", "Xinference", [47], null, 300),
  brand(
    "zhipu",
    "Zhipu",
    [16, 26],
    /^(glm|chatglm|cogview|cogvideo|codegeex|zai|zhipu|thudm)/,
    265,
  ),
];

function brand(
  id: string,
  name: string,
  types: readonly number[],
  models: RegExp | null,
  hue: number,
): Brand {
  return { id, name, types, models, hue };
}

const byType: ReadonlyMap<number, Brand> = new Map(
  brands.flatMap((each) => each.types.map((type): [number, Brand] => [type, each])),
);

/** Returns the brand of a channel type; null if the type is unknown. */
export function brandOfType(type: number): Brand | null {
  return byType.get(type) ?? null;
}

/**
 * Returns the brand that made a model. The part after the last slash decides, because resellers put
 * their own name or the maker's before it: `openrouter/openai/gpt-5`, `deepseek-ai/DeepSeek-V3`.
 * Null: unknown.
 */
export function brandOfModel(model: string): Brand | null {
  const parts = model.toLowerCase().split("/").toReversed();
  for (const part of parts) {
    const found = brands.find(({ models }) => models?.test(part) === true);
    if (found !== undefined) return found;
  }
  return null;
}

/** The most popular channel types, in the order in which lists show them before all others. */
const popular: readonly number[] = [
  1, 14, 24, 43, 3, 8, 4, 20, 17, 45, 26, 25, 48, 40, 42, 33, 41, 35, 46, 23,
];

/**
 * Resellers and interfaces of 2023 that have closed or have no known users. They stay in the list
 * because channels imported from other gateways have these numbers.
 */
const dated: ReadonlySet<number> = new Set([0, 6, 9, 10, 11, 12, 13, 21]);

export function isDatedType(type: number): boolean {
  return dated.has(type);
}

/**
 * Sorts channel types as lists show them: popular ones first, dated ones last, the others by label.
 */
export function inTypeOrder<Type extends { readonly type: number; readonly label: string }>(
  types: readonly Type[],
): Type[] {
  const place = ({ type }: Type): number => {
    if (dated.has(type)) return popular.length + 1;
    const index = popular.indexOf(type);
    return index < 0 ? popular.length : index;
  };
  return types.toSorted((a, b) => place(a) - place(b) || a.label.localeCompare(b.label, "en"));
}
