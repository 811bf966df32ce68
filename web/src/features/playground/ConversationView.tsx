import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useLayoutEffect } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { AnswerView } from "./AnswerView.tsx";
import type { CallSettings, Chat, ChatState } from "./chat.ts";
import type { Message } from "./conversation.ts";
import { QuestionView } from "./QuestionView.tsx";
import { useStickToBottom } from "./use-stick-to-bottom.ts";

/**
 * The messages of the conversation. The view stays scrolled to the end while an answer grows,
 * unless the user has scrolled up.
 */
export function ConversationView(props: {
  chat: Chat;
  state: ChatState;
  settings: CallSettings;
  /** Content to show while there are no messages. */
  empty: ReactNode;
}) {
  const { chat, state, settings, empty } = props;
  const { conversation, writing } = state;
  const { messages } = conversation;
  const t = useT();
  const { scroller, isAtEnd, handleScroll, scrollToEnd } = useStickToBottom(messages);
  const busy = writing !== null;
  // Until the models are read, nothing can be asked, neither first nor again.
  const ready = settings.model !== "";
  // A user who has just sent a question wants to see its answer, so the view scrolls to the end.
  useLayoutEffect(() => {
    if (busy) scrollToEnd();
  }, [busy, scrollToEnd]);

  /** Shows a toast with a button that restores the messages from before a change. */
  const offerUndo = useCallback(
    (before: readonly Message[], title: string) =>
      toast({
        tone: "neutral",
        title,
        durationMs: undoMs,
        action: {
          label: t("playground.undo"),
          onClick: () => chat.restore(before),
        },
      }),
    [chat, t],
  );
  /** Makes a change, and offers to undo it if it removed messages. */
  const undoable = useCallback(
    (title: string, change: () => void) => {
      const before = chat.state.read().conversation.messages;
      change();
      const after = chat.state.read().conversation.messages;
      if (after.length < before.length) offerUndo(before, title);
    },
    [chat, offerUndo],
  );
  const remove = useCallback(
    (id: string) => undoable(t("playground.removed"), () => chat.remove(id)),
    [chat, undoable, t],
  );
  const retry = useCallback(
    (id: string) => undoable(t("playground.shortened"), () => chat.retry(id, settings)),
    [chat, undoable, settings, t],
  );
  const edit = useCallback(
    (id: string, content: string) =>
      undoable(t("playground.shortened"), () => chat.edit(id, content, settings)),
    [chat, undoable, settings, t],
  );

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={handleScroll}
        // Focusable, because users without a mouse must be able to scroll the element, too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={t("playground.conversation")}
        className="h-full overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <div className="mx-auto flex min-h-full w-full max-w-200 flex-col gap-6 px-5 py-5 max-md:px-3">
          {messages.length === 0 && <div className="my-auto">{empty}</div>}
          {messages.map((message) =>
            message.role === "user" ? (
              <QuestionView
                key={message.id}
                question={message}
                busy={busy || !ready}
                onEdit={edit}
                onRemove={remove}
              />
            ) : (
              <AnswerView
                key={message.id}
                answer={message}
                writing={message.id === writing}
                busy={busy}
                onRetry={ready ? retry : null}
                onRemove={remove}
              />
            ),
          )}
        </div>
      </div>
      {!isAtEnd && messages.length > 0 && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <div className="pointer-events-auto">
            <Button size="sm" icon={<ArrowDown size={14} aria-hidden />} onClick={scrollToEnd}>
              {t("playground.toEnd")}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Milliseconds for which a removal can be undone. */
const undoMs = 6_000;
