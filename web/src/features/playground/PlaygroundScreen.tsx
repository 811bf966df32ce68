import { useRunning } from "#ui/attention/attention.ts";
import { useRef, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { newConversation } from "./chat.ts";
import { CodeDialog } from "./CodeDialog.tsx";
import { Composer } from "./Composer.tsx";
import { ConversationView } from "./ConversationView.tsx";
import { lastAsked, type Message, messagesMax, sentMessages } from "./conversation.ts";
import { FirstWords } from "./FirstWords.tsx";
import { HeaderButtons, type Panel } from "./HeaderButtons.tsx";
import { HistorySheet } from "./HistorySheet.tsx";
import { ParameterPanel } from "./ParameterPanel.tsx";
import { chatOf, useChatState } from "./use-chat.ts";
import { type ParameterState, useParameters } from "./use-parameters.ts";

/** `/playground`, for every signed-in user: chat with a model, paid from the user's own balance. */
export function PlaygroundScreen() {
  const session = useSession();
  return session === null ? null : <Playground key={session.id} userId={session.id} />;
}

function Playground({ userId }: { userId: number }) {
  const t = useT();
  const chat = chatOf(userId);
  const state = useChatState(chat);
  const { conversation, writing } = state;
  useRunning(writing !== null);
  const parameters = useParameters();
  const { settings } = parameters;
  const [panel, setPanel] = useState<Panel>(null);
  const box = useRef<HTMLTextAreaElement | null>(null);
  const begin = (): void => {
    chat.open(newConversation(crypto.randomUUID(), Date.now(), conversation.system));
    box.current?.focus();
  };
  const panelProps = {
    parameters,
    system: conversation.system,
    onSystem: chat.setSystem,
    onSystemEnd: chat.keepSystem,
  };
  const asked = lastAsked(conversation.messages);

  return (
    // This element is as high as the room it has, so that its parts scroll separately and the page
    // does not.
    <div className="flex h-0 min-h-full">
      <section className="flex min-w-0 flex-1 flex-col">
        <header className="flex shrink-0 items-center justify-between gap-2 border-b px-5 py-2 max-md:gap-1 max-md:px-3">
          <h1 className="truncate text-lg font-semibold max-md:text-base">
            {t("playground.title")}
          </h1>
          <div className="flex shrink-0 items-center gap-1 max-md:gap-0">
            <HeaderButtons chat={chat} onBegin={begin} onPanel={setPanel} />
          </div>
        </header>
        <ConversationView
          key={conversation.id}
          chat={chat}
          state={state}
          settings={settings}
          empty={<FirstWords parameters={parameters} />}
        />
        <div className="mx-auto w-full max-w-200 shrink-0 px-5 pt-1 pb-4 max-md:px-3 max-md:pb-3">
          <Composer
            box={box}
            writing={writing !== null}
            obstacle={obstacleOf(parameters, conversation.messages, t)}
            onSend={(question) => chat.ask(question, settings)}
            onStop={chat.stop}
          />
        </div>
      </section>
      <aside
        aria-label={t("playground.parameters")}
        className="w-76 shrink-0 overflow-y-auto border-l p-4 max-lg:hidden"
      >
        <ParameterPanel {...panelProps} />
      </aside>
      <Announcer messages={conversation.messages} writing={writing} />
      <Sheet
        open={panel === "parameters"}
        onClose={() => setPanel(null)}
        title={t("playground.parameters")}
      >
        <ParameterPanel {...panelProps} />
      </Sheet>
      <HistorySheet
        userId={userId}
        open={panel === "history"}
        onClose={() => setPanel(null)}
        onOpen={chat.open}
        onForget={(id) => (id === null || id === conversation.id) && begin()}
      />
      <CodeDialog
        open={panel === "code"}
        onClose={() => setPanel(null)}
        settings={settings}
        messages={sentMessages(conversation.system, asked.length === 0 ? sample(t) : asked)}
      />
    </div>
  );
}

function obstacleOf(
  { groups, models, settings }: ParameterState,
  messages: readonly Message[],
  t: T,
): string | null {
  if (groups.isError || models.isError) return t("widgets.modelsFailed");
  if (!models.isSuccess || models.isPlaceholderData) return t("playground.loading");
  if (settings.model === "") return t("playground.noModel");
  return messages.length >= messagesMax ? t("playground.tooLong") : null;
}

/** Announces to screen readers when the last answer is being written, complete or stopped. */
function Announcer(props: { messages: readonly Message[]; writing: string | null }) {
  const { messages, writing } = props;
  const t = useT();
  // Messages that existed when the screen opened are not announced.
  const [known] = useState(() => new Set(messages.map(({ id }) => id)));
  const last = messages.at(-1);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {last !== undefined && !known.has(last.id) && stateOf(last, writing, t)}
    </div>
  );
}

function stateOf(last: Message, writing: string | null, t: T): string {
  if (last.role === "user") return "";
  if (last.id === writing) return t("playground.sayWriting");
  switch (last.status) {
    case "complete":
      return t("playground.sayDone", { text: last.content.slice(0, announcedMax) });
    case "error":
      // A failed answer is not announced here, because the error banner is announced by itself.
      return "";
    case "incomplete":
    case "loading":
      return t("playground.sayStopped");
  }
}

/** The largest part of an answer that is read out when it is complete, in characters. */
const announcedMax = 500;

/** Returns the question in the example code while the conversation is empty. */
function sample(t: T): readonly Message[] {
  return [{ role: "user", id: "", content: t("playground.sample"), images: [] }];
}
