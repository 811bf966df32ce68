/** The call of the home page as code in three languages. */

export const snippetLanguages = ["curl", "python", "javascript"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

type Snippet = {
  /** The server's origin, without a slash at the end. */
  readonly origin: string;
  /** An API key with `sk-`, or what stands for one. */
  readonly key: string;
  readonly model: string;
  readonly question: string;
};

export function showSnippet(language: SnippetLanguage, snippet: Snippet): string {
  switch (language) {
    case "curl":
      return showCurl(snippet);
    case "python":
      return showPython(snippet);
    case "javascript":
      return showJavaScript(snippet);
  }
}

function showCurl({ origin, key, model, question }: Snippet): string {
  const content = JSON.stringify(question)
    // Ends the shell's string at a quote, adds the quote, and begins a new string.
    .replaceAll("'", `'\\''`);
  return [
    `curl -N ${origin}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{`,
    `    "model": ${JSON.stringify(model)},`,
    `    "stream": true,`,
    `    "messages": [{"role": "user",`,
    `      "content": ${content}}]`,
    `  }'`,
  ].join("\n");
}

function showPython({ origin, key, model, question }: Snippet): string {
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${origin}/v1",`,
    `                api_key="${key}")`,
    "for chunk in client.chat.completions.create(",
    `    model=${JSON.stringify(model)}, stream=True,`,
    `    messages=[{"role": "user",`,
    `      "content": ${JSON.stringify(question)}}]):`,
    `    print(chunk.choices[0].delta.content or "", end="")`,
  ].join("\n");
}

function showJavaScript({ origin, key, model, question }: Snippet): string {
  return [
    `import OpenAI from "openai";`,
    `const client = new OpenAI({`,
    `  baseURL: "${origin}/v1", apiKey: "${key}" });`,
    `const stream = await client.chat.completions.create({`,
    `  model: ${JSON.stringify(model)}, stream: true,`,
    `  messages: [{ role: "user",`,
    `    content: ${JSON.stringify(question)} }] });`,
    `for await (const chunk of stream)`,
    `  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");`,
  ].join("\n");
}
