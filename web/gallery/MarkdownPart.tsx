/** Markdown in every state. */

import { Markdown } from "#ui/markdown/Markdown.tsx";
import { Example, Examples, useSample } from "./Example.tsx";

const zh = `## 限流与重试

**注意：**网关会在 \`429\` 时**按渠道优先级**重试，见[文档](https://example.com)。

1. 先换同一优先级的渠道
2. 再降一级
   - 每级最多三次
   - 流式响应开始后不再重试

> 已经发出的字节无法收回。

| 状态 | 重试 | 计费 |
| --- | --- | --- |
| 429 | 是 | 否 |
| 500 | 是 | 否 |
| 200 | 否 | 是 |

\`\`\`typescript
const delay = 2 ** attempt * 100; // 毫秒
await sleep(delay);
\`\`\`

- [x] 写完
- [ ] 上线
`;

const en = `## Limits and retries

**Note:** on \`429\` the gateway tries again **by priority**, see the [guide](https://example.com).

1. Another channel of the same priority
2. Then one step down
   - three times a step at most
   - never once a stream has begun

> Bytes that were sent cannot be taken back.

| Status | Retried | Billed |
| --- | --- | --- |
| 429 | yes | no |
| 500 | yes | no |
| 200 | no | yes |

\`\`\`typescript
const delay = 2 ** attempt * 100; // milliseconds
await sleep(delay);
\`\`\`

- [x] written
- [ ] shipped
`;

const openCode = "**注意：**正在写\n\n```python\nfor line in answer:\n    print(li";
const openBold = "第一段。\n\n正在写 **加粗";

export function MarkdownPart() {
  const s = useSample();
  return (
    <Examples>
      <Example title="whole" wide>
        <div className="max-w-200">
          <Markdown text={s(zh, en)} />
        </div>
      </Example>
      <Example title="streaming, cut in the middle" wide>
        <div className="max-w-200">
          <Markdown text={openCode} streaming />
          <Markdown text={openBold} streaming />
        </div>
      </Example>
    </Examples>
  );
}
