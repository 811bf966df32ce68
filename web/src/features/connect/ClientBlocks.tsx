import { type Block, type Client, type ConnectValues } from "@tollgate/contract/connect/client.ts";
import { scriptName, scriptOf } from "@tollgate/contract/connect/script.ts";
import { Download } from "lucide-react";
import { useId } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { saveFile } from "#ui/copy/save-file.ts";

type Given = {
  readonly client: Client;
  /** With the key as it is shown. */
  readonly values: ConnectValues;
  /** Reads the whole key, for what is copied. */
  readonly read: () => Promise<string>;
};

/** The script of an agent, which it is easiest to run, and what it does by hand. */
export function ScriptBlock({ client, values }: Omit<Given, "read">) {
  const t = useT();
  const name = scriptName(client);
  const script = scriptOf(client, values);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">
        <Muted>{t("connect.scriptText", { name: client.name })}</Muted>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          icon={<Download size={16} aria-hidden />}
          onClick={() => saveFile(new Blob([script], { type: "text/javascript" }), name)}
        >
          {t("connect.saveScript")}
        </Button>
        <CopyButton text={script} label={t("connect.copyScript")} size="md" />
      </div>
      <CodeBlock code={`node ${name}`} language="bash" />
      <CodeBlock code={script} language="javascript" copy={false} maxHeight="28rem" />
    </div>
  );
}

/** What to put where, block by block. */
export function ClientBlocks({ client, values, read }: Given) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {client.blocks(values).map((block, at) => (
        // A program's blocks do not change their order.
        // oxlint-disable-next-line react/no-array-index-key
        <OneBlock key={at} at={at} block={block} {...{ client, values, read }} />
      ))}
    </div>
  );
}

function OneBlock(props: Given & { readonly block: Block; readonly at: number }) {
  const { block, at, client, values, read } = props;
  const t = useT();
  if (block.kind === "fields") return <Fields fields={block.fields} read={read} />;
  // The same block with the whole key, made when it is copied.
  const whole = async () => {
    const found = client.blocks({ ...values, key: await read() })[at];
    return found === undefined || found.kind === "fields" ? "" : found.text;
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {block.kind === "file" && (
        <code className="font-mono text-sm wrap-anywhere">
          {client.kind === "agent" ? `~/${block.path}` : block.path}
        </code>
      )}
      <CodeBlock code={block.text} language={block.language} copy={false} />
      <div className="flex justify-end">
        <CopyButton read={whole} label={t("connect.copy")} />
      </div>
    </div>
  );
}

function Fields(props: {
  readonly fields: Extract<Block, { kind: "fields" }>["fields"];
  readonly read: () => Promise<string>;
}) {
  const t = useT();
  const name = useId();
  return (
    <Card flush>
      <dl>
        {props.fields.map(({ label, value, secret }) => (
          <div
            key={label}
            className="flex min-h-11 items-center gap-x-3 px-3 py-1 max-sm:flex-wrap"
          >
            <dt id={`${name}-${label}`} className="w-52 shrink-0 text-sm max-sm:w-full">
              <Muted>{label}</Muted>
            </dt>
            <dd className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{value}</dd>
            <CopyButton
              {...(secret === true ? { read: props.read } : { text: value })}
              label={t("connect.copyField", { label })}
              iconOnly
              variant="ghost"
            />
          </div>
        ))}
      </dl>
    </Card>
  );
}
