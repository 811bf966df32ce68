import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { Download, Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { ownChatLinks } from "#widgets/chat/chat-links.ts";
import { useOpenChat } from "#widgets/chat/use-open-chat.ts";
import { ConnectPanel } from "#widgets/tokens/ConnectPanel.tsx";
import { Line } from "#widgets/tokens/Line.tsx";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { modelLimitsOf } from "./token-state.ts";
import { type CreatedTokens, readWholeKey, useOwnModels } from "./tokens.api.ts";
import { keyLine } from "./key-line.ts";

/** A sheet with the whole keys of tokens that were just created, and how to use them. */
export function CreatedSheet(props: {
  created: CreatedTokens;
  wanted: number;
  onClose: () => void;
}) {
  const { created, wanted, onClose } = props;
  const t = useT();
  const { data: ownModels } = useOwnModels();
  const { tokens, error } = created;
  const [first] = tokens;
  if (first === undefined) return null;
  const key = tokenKeyPrefix + first.key;
  return (
    <Sheet
      open
      width="lg"
      onClose={onClose}
      title={
        tokens.length === 1
          ? t("tokens.createdTitle")
          : t("tokens.createdManyTitle", { count: tokens.length })
      }
      description={first.name}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("tokens.done")}
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        {error !== null && (
          <Banner
            tone="warning"
            title={t("tokens.createdPartly", {
              made: tokens.length,
              count: wanted,
              reason: describeError(error).title,
            })}
          />
        )}
        <Banner tone="success" title={t("tokens.createdNote")} />
        {tokens.length === 1 ? (
          <Line label={t("tokens.key")}>
            <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{key}</code>
            <CopyButton text={key} label={t("tokens.copyKey")} variant="primary" />
          </Line>
        ) : (
          <KeyList tokens={tokens} t={t} />
        )}
        <ConnectPanel shownKey={key} ownModels={ownModels} limits={limitsOf(first)} />
      </div>
    </Sheet>
  );
}

function KeyList({ tokens, t }: { tokens: readonly Token[]; t: T }) {
  const text = tokens.map(({ name, key }) => keyLine(name, tokenKeyPrefix + key)).join("\n");
  return (
    <div className="flex flex-col gap-2">
      <Textarea
        readOnly
        fixedWidth
        aria-label={t("tokens.key")}
        rows={Math.min(tokens.length, 10)}
        wrap="off"
        value={text}
      />
      <div className="flex justify-end gap-2">
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onClick={() => saveText("tokens.txt", text)}
        >
          {t("tokens.download")}
        </Button>
        <CopyButton text={text} label={t("tokens.copyAll")} variant="primary" />
      </div>
    </div>
  );
}

/**
 * A sheet that shows how to use an existing token. The key is read only when the user copies or
 * unmasks it.
 */
export function ConnectSheet({ token, onClose }: { token: Token; onClose: () => void }) {
  const t = useT();
  const { data: ownModels } = useOwnModels();
  const [whole, setWhole] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const read = async () => whole ?? (await readWholeKey(token.id));

  async function toggle() {
    if (whole !== null) {
      setWhole(null);
      return;
    }
    setReading(true);
    try {
      setWhole(await readWholeKey(token.id));
    } catch (error) {
      toastError(error);
    } finally {
      setReading(false);
    }
  }

  // Of some imported keys only a hash is known until their first use.
  const isKnown = token.key !== "";
  const shown = whole ?? (isKnown ? tokenKeyPrefix + token.key : t("tokens.keyAfterUse"));
  return (
    <Sheet open width="lg" onClose={onClose} title={t("tokens.connectTitle", { name: token.name })}>
      <div className="flex flex-col gap-5">
        <Line label={t("tokens.key")}>
          <code className="min-w-0 flex-1 font-mono text-sm break-all">{shown}</code>
          {isKnown && (
            <>
              <IconButton
                size="sm"
                loading={isReading}
                label={whole === null ? t("tokens.revealKey") : t("tokens.hideKey")}
                icon={
                  whole === null ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />
                }
                onClick={() => void toggle()}
              />
              <CopyButton read={read} label={t("tokens.copyKey")} />
            </>
          )}
        </Line>
        <OwnChats token={token} read={read} />
        <ConnectPanel shownKey={shown} read={read} ownModels={ownModels} limits={limitsOf(token)} />
        <div className="flex flex-wrap gap-2">
          <LinkButton to="/connect" search={{ token: token.id }}>
            {t("tokens.otherPrograms")}
          </LinkButton>
          <LinkButton to="/query">{t("tokens.queryPage")}</LinkButton>
        </div>
      </div>
    </Sheet>
  );
}

/** Buttons that open the token's own chat clients. */
function OwnChats({ token, read }: { token: Token; read: () => Promise<string> }) {
  const t = useT();
  const openChat = useOpenChat();
  const links = ownChatLinks(token.chat_links);
  if (links.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {links.map((link) => (
        <Button key={link.name} onClick={() => void openChat(link, read)}>
          {t("tokens.openIn", { name: link.name })}
        </Button>
      ))}
    </div>
  );
}

function limitsOf(token: Token): readonly string[] | null {
  return token.model_limits_enabled ? modelLimitsOf(token) : null;
}

function saveText(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
