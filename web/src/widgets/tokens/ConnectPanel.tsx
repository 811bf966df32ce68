import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import {
  firstChatModel,
  openAiBaseUrl,
  showSnippet,
  type SnippetKind,
  snippetKinds,
} from "./token-snippets.ts";
import { Line } from "./Line.tsx";

/** The model in the examples if the user cannot call any. */
const placeholderModel = "gpt-4o-mini";

/** Shows what a client program needs: the base URL, a model, and example code with the key. */
export function ConnectPanel(props: {
  /** The key that the examples show: whole, or masked if `read` is given. */
  shownKey: string;
  /** Reads the whole key, which is put in place of the masked one when an example is copied. */
  read?: (() => Promise<string>) | undefined;
  /** The models that the user can call; undefined: still loading. */
  ownModels: readonly string[] | undefined;
  /** The models that the token is limited to; null: it has no such limit. */
  limits: readonly string[] | null;
}) {
  const { shownKey, read, ownModels, limits } = props;
  const t = useT();
  const serverUrl = useServerUrl();
  const models = limits === null ? ownModels : ownModels?.filter((name) => limits.includes(name));
  const [kind, setKind] = useState<SnippetKind>("curl");
  const [picked, setPicked] = useState("");
  const model = picked === "" ? (firstChatModel(models ?? []) ?? placeholderModel) : picked;
  const snippet = showSnippet(kind, { serverUrl, key: shownKey, model });
  const baseUrl = openAiBaseUrl(serverUrl);
  const labels: Record<SnippetKind, string> = {
    curl: "curl",
    python: "Python",
    node: "Node.js",
  };
  const copied =
    read === undefined
      ? { text: snippet.code }
      : { read: async () => showSnippet(kind, { serverUrl, key: await read(), model }).code };
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Line label={t("tokens.baseUrl")}>
        <code className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{baseUrl}</code>
        <CopyButton text={baseUrl} label={t("tokens.copyBaseUrl")} iconOnly variant="ghost" />
      </Line>
      <div className="flex flex-col gap-1.5">
        <span className="text-sm font-medium">{t("tokens.model")}</span>
        <Combobox
          aria-label={t("tokens.model")}
          items={(models ?? []).map((name) => ({ value: name, label: name }))}
          loading={models === undefined}
          value={model}
          onChange={setPicked}
        />
        <span className="text-xs">
          <Muted>{models?.length === 0 ? t("tokens.noModels") : t("tokens.modelHelp")}</Muted>
        </span>
      </div>
      <Tabs
        aria-label={t("tokens.examples")}
        items={snippetKinds.map((each) => ({ value: each, label: labels[each] }))}
        value={kind}
        onChange={setKind}
      >
        <div className="flex flex-col gap-2">
          <CodeBlock code={snippet.code} language={snippet.language} copy={false} />
          <div className="flex justify-end">
            <CopyButton
              {...copied}
              label={t("tokens.copyExample")}
              // Until the models are known, the example names one that may not be callable.
              disabled={models === undefined}
            />
          </div>
        </div>
      </Tabs>
    </div>
  );
}

function useServerUrl(): string {
  return serverUrlOf(useStatus()?.server_address, ownAddress());
}
