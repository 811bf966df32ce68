import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import type { CallSettings } from "./chat.ts";
import { type CodeLanguage, placeholderKey, showCode } from "./view-code.ts";

const languages: readonly { value: CodeLanguage; label: string; block: string }[] = [
  { value: "curl", label: "curl", block: "bash" },
  { value: "python", label: "Python", block: "python" },
  { value: "node", label: "Node.js", block: "typescript" },
];

/** A dialog with example code that sends this conversation's request from a program. */
export function CodeDialog(props: {
  open: boolean;
  onClose: () => void;
  settings: CallSettings;
  messages: readonly object[];
}) {
  const { open, onClose, settings, messages } = props;
  const { model, group, temperature, maxTokens } = settings;
  const t = useT();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const address = useStatus()?.server_address ?? "";
  const origin = (address === "" ? ownAddress() : address).replace(/\/+$/, "");
  const code = showCode(language, { origin, model, messages, temperature, maxTokens });
  return (
    <Dialog open={open} onClose={onClose} title={t("playground.viewCode")} width="lg">
      <div className="flex flex-col gap-3">
        <p className="text-sm">
          <Muted>{t("playground.viewCodeHelp", { key: placeholderKey, group })}</Muted>
        </p>
        <Tabs
          aria-label={t("playground.codeLanguage")}
          items={languages}
          value={language}
          onChange={setLanguage}
        >
          <CodeBlock
            code={code}
            language={languages.find(({ value }) => value === language)?.block}
            maxHeight="50dvh"
          />
        </Tabs>
      </div>
    </Dialog>
  );
}
