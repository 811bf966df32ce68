/** Chinese names by which channel types are known, beside the Latin labels that the server sends. */
const words: Readonly<Record<string, string>> = {
  "01.AI": "零一万物",
  "360": "奇虎 智脑",
  "AI Proxy knowledge base": "知识库",
  "Ali Tongyi": "阿里 阿里云 通义千问 百炼",
  Anthropic: "克劳德",
  "AWS Bedrock": "亚马逊",
  "Azure OpenAI": "微软",
  "Baidu V2": "百度 文心 千帆",
  "Baidu Wenxin": "百度 文心一言 千帆",
  Coze: "扣子",
  Custom: "自定义",
  DeepSeek: "深度求索",
  "Doubao Video": "豆包 火山 视频",
  "Google Gemini": "谷歌",
  "Google PaLM2": "谷歌",
  "Google Vertex AI": "谷歌",
  Kling: "可灵 快手",
  MiniMax: "稀宇 海螺",
  Moonshot: "月之暗面",
  "NVIDIA NIM": "英伟达",
  SiliconCloud: "硅基流动",
  "Tencent Hunyuan": "腾讯 混元",
  VolcEngine: "火山引擎 火山方舟 豆包 字节",
  "Xunfei Spark": "讯飞 星火",
  "Zhipu ChatGLM": "智谱 清言",
  "Zhipu GLM-4V": "智谱 清言",
};

/** Returns the words by which a search finds a channel type beside its label. */
export function typeWords(label: string): string | undefined {
  return words[label];
}
