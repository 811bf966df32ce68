import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { showTime } from "#display/time.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { type Conversation, titleOf } from "./conversation.ts";
import { forgetConversation, forgetHistory, readHistory } from "./history.ts";

/** A sheet with the conversations that are stored in this browser, to open or delete them. */
export function HistorySheet(props: {
  userId: number;
  open: boolean;
  onClose: () => void;
  onOpen: (conversation: Conversation) => void;
  /** Called after a deletion, with the conversation's id; null: all were deleted. */
  onForget: (id: string | null) => void;
}) {
  const t = useT();
  return (
    <Sheet
      open={props.open}
      onClose={props.onClose}
      title={t("playground.history")}
      description={t("playground.historyHelp")}
    >
      <HistoryList {...props} />
    </Sheet>
  );
}

function HistoryList(props: Parameters<typeof HistorySheet>[0]) {
  const { userId, onClose, onOpen, onForget } = props;
  const t = useT();
  const confirm = useConfirm();
  const [history, setHistory] = useState(() => readHistory(localStorage, userId));
  if (history.length === 0) {
    return (
      <Empty
        picture="talk"
        title={t("playground.historyEmpty")}
        description={t("playground.historyEmptyText")}
        action={<Button onClick={onClose}>{t("playground.historyEmptyAction")}</Button>}
      />
    );
  }

  async function forgetAll(): Promise<void> {
    const agreed = await confirm({
      title: t("playground.historyForgetAll"),
      body: t("playground.historyForgetAllBody"),
      confirmLabel: t("playground.historyForgetAll"),
      tone: "danger",
    });
    if (!agreed) return;
    forgetHistory(localStorage, userId);
    setHistory([]);
    onForget(null);
  }

  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col divide-y">
        {history.map((one) => (
          <li key={one.id} className="flex items-center gap-2 py-1.5">
            <button
              type="button"
              className="min-w-0 flex-1 rounded px-1 py-1.5 text-left"
              onClick={() => {
                onOpen(one);
                onClose();
              }}
            >
              <span dir="auto" className="block truncate">
                {titleOf(one) || t("playground.untitled")}
              </span>
              <span className="block text-xs tabular-nums">
                <Muted>{showTime(Math.floor(one.changedAt / 1_000), "")}</Muted>
              </span>
            </button>
            <IconButton
              size="sm"
              label={t("playground.historyForget", { title: titleOf(one) })}
              icon={<Trash2 size={14} aria-hidden />}
              onClick={() => {
                forgetConversation(localStorage, userId, one.id);
                setHistory(readHistory(localStorage, userId));
                onForget(one.id);
              }}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button size="sm" onClick={() => void forgetAll()}>
          {t("playground.historyForgetAll")}
        </Button>
      </div>
    </div>
  );
}
