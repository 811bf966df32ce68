import { Code, Eraser, History, SlidersHorizontal, SquarePen } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { toast } from "#ui/overlays/toast.ts";
import type { Chat } from "./chat.ts";
import { useChatState } from "./use-chat.ts";

/** The panel or dialog that is open; null: none. */
export type Panel = "code" | "history" | "parameters" | null;

/** The buttons for actions on the whole conversation. */
export function HeaderButtons(props: {
  chat: Chat;
  onBegin: () => void;
  onPanel: (panel: Panel) => void;
}) {
  const { chat, onBegin, onPanel } = props;
  const t = useT();
  const clear = (): void => {
    const before = chat.state.read().conversation.messages;
    if (before.length === 0) return;
    chat.restore([]);
    const undo = { label: t("playground.undo"), onClick: () => chat.restore(before) };
    toast({ tone: "neutral", title: t("playground.cleared"), action: undo });
  };
  const busy = useChatState(chat).writing !== null;
  return (
    <>
      <IconButton
        label={t("playground.newConversation")}
        icon={<SquarePen size={16} aria-hidden />}
        onClick={onBegin}
      />
      <IconButton
        label={t("playground.history")}
        icon={<History size={16} aria-hidden />}
        onClick={() => onPanel("history")}
      />
      <IconButton
        label={t("playground.clear")}
        icon={<Eraser size={16} aria-hidden />}
        disabled={busy}
        onClick={clear}
      />
      <IconButton
        label={t("playground.viewCode")}
        icon={<Code size={16} aria-hidden />}
        onClick={() => onPanel("code")}
      />
      <div className="lg:hidden">
        <IconButton
          label={t("playground.parameters")}
          icon={<SlidersHorizontal size={16} aria-hidden />}
          onClick={() => onPanel("parameters")}
        />
      </div>
    </>
  );
}
