/** What can be copied, in every state. */

import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { QrCode } from "#ui/picture/QrCode.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

const curl = `curl https://gateway.example.com/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "model": "gpt-4o", "messages": [{ "role": "user", "content": "你好" }] }'`;

const python = `from openai import OpenAI

client = OpenAI(base_url="https://gateway.example.com/v1")

# The first answer, as it comes.
for chunk in client.chat.completions.create(
    model="gpt-4o", stream=True, messages=[{"role": "user", "content": "你好"}]
):
    print(chunk.choices[0].delta.content or "", end="")`;

const json = `{
  "model": "gpt-4o",
  "usage": { "prompt_tokens": 1024, "completion_tokens": 81 },
  "cached": true,
  "note": null
}`;

export function CopyPart() {
  const s = useSample();
  return (
    <Examples>
      <Example title="copy buttons">
        <div className="flex flex-wrap items-center gap-2">
          <CopyButton text="sk-0123456789abcdef" label={s("复制密钥", "Copy key")} />
          <CopyButton text="sk-0123456789abcdef" label={s("复制密钥", "Copy key")} iconOnly />
          <CopyButton
            read={async () => "sk-0123456789abcdef"}
            label={s("复制完整密钥", "Copy the whole key")}
            variant="primary"
            size="md"
          />
        </div>
      </Example>
      <Example title="QR code">
        <QrCode text="weixin://wxpay/bizpayurl?pr=0123456789" />
      </Example>
      <Example title="bash" wide>
        <CodeBlock code={curl} language="bash" />
      </Example>
      <Example title="python">
        <CodeBlock code={python} language="python" />
      </Example>
      <Example title="json, limited height">
        <CodeBlock code={json} language="json" maxHeight="6rem" />
      </Example>
      <Example title="no language, no copy">
        <CodeBlock code="https://gateway.example.com/v1" copy={false} />
      </Example>
    </Examples>
  );
}
