import { KeyRound, Play, Send, Square } from "lucide-react";
import { type FormEvent, useState } from "react";
import { demoQuestionMax } from "@tollgate/contract/endpoints/demo-calls.ts";
import { type T, useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { readOwnKey } from "./home.api.ts";
import { type CallSource, showSixDigits, tokensText } from "./passed-call.ts";
import { recordingIn } from "./recording.ts";
import { showSnippet, type SnippetLanguage, snippetLanguages } from "./snippets.ts";
import type { Trial } from "./use-trial.ts";

const languageNames: Readonly<Record<SnippetLanguage, string>> = {
  curl: "curl",
  python: "Python",
  javascript: "JavaScript",
};

/** Pixels of nine lines of code, and of a short answer: the page does not move when either changes. */
const codeHeight = 208;
const answerHeight = 132;

/** Stands for the reader's own key. */
const noKey = "sk-…";

/** A call as code, and a button that makes it: its answer streams below. */
export function TrialPanel(props: {
  origin: string;
  source: CallSource;
  isSignedIn: boolean;
  /** The model to call; undefined: none can be called. */
  model: string | undefined;
  /** The most that a call of one's own costs, as text; null: unknown. */
  costMax: string | null;
  trial: Trial;
  onSend: (question: string) => void;
  onStop: () => void;
}) {
  const { origin, source, model, costMax, trial, onSend, onStop } = props;
  const t = useT();
  const recorded = recordingIn(useLanguage());
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const [key, setKey] = useState<string | null>(null);
  const [hasNoKey, setHasNoKey] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const isRecording = source === "recording";
  const question = isRecording ? recorded.question : (typed ?? t("home.question"));
  const code = showSnippet(language, {
    origin,
    key: key ?? noKey,
    model: model ?? t("home.modelName"),
    question,
  });
  const isRunning = trial.state === "running";
  /** Whether there is no model for a call of one's own. */
  const isWithout = source === "own" && model === undefined;

  const Icon = isRunning ? Square : isRecording ? Play : Send;

  const press = (event: FormEvent) => {
    event.preventDefault();
    if (isRunning) onStop();
    else if (question.trim() !== "") onSend(question.trim());
  };
  const showKey = () => {
    readOwnKey().then((found) => {
      setKey(found);
      setHasNoKey(found === null);
    }, toastError);
  };

  return (
    <Card flush>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b p-2">
        <Segmented
          aria-label={t("home.codeLanguage")}
          items={snippetLanguages.map((value) => ({ value, label: languageNames[value] }))}
          value={language}
          onChange={setLanguage}
        />
        <span className="flex items-center gap-1">
          {props.isSignedIn && key === null && !hasNoKey && (
            <Button
              size="sm"
              variant="ghost"
              icon={<KeyRound size={14} aria-hidden />}
              onClick={showKey}
            >
              {t("home.useKey")}
            </Button>
          )}
          {hasNoKey && <Link to="/token">{t("home.makeKey")}</Link>}
          <CopyButton text={code} label={t("home.copyCode")} iconOnly />
        </span>
      </div>
      <pre
        // A scrolling region must be reachable with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={t("home.code")}
        style={{ height: codeHeight }}
        className="overflow-auto px-4 py-3 font-mono text-sm leading-5 focus-visible:-outline-offset-2"
      >
        <code>{code}</code>
      </pre>
      <form onSubmit={press} className="flex flex-col gap-1.5 border-t p-3">
        <div className="flex gap-2">
          <Input
            aria-label={t("home.questionLabel")}
            value={question}
            maxLength={demoQuestionMax}
            readOnly={isRecording}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button
            type="submit"
            variant={isRunning ? "default" : "primary"}
            icon={<Icon size={14} aria-hidden />}
            disabled={!isRunning && (question.trim() === "" || isWithout)}
          >
            {isRunning ? t("home.stop") : isRecording ? t("home.play") : t("home.send")}
          </Button>
        </div>
        <p className="text-xs">
          <Muted>{isWithout ? t("home.costNoModel") : costText(source, costMax, t)}</Muted>
        </p>
      </form>
      <div
        aria-live="polite"
        aria-busy={isRunning}
        style={{ minHeight: answerHeight }}
        className="flex flex-col justify-between gap-2 border-t px-4 py-3"
      >
        <Answer source={source} trial={trial} />
      </div>
    </Card>
  );
}

/** What pressing the button costs, said before it is pressed. */
function costText(source: CallSource, costMax: string | null, t: T): string {
  switch (source) {
    case "demo":
      return t("home.costDemo");
    case "own":
      return costMax === null ? t("home.costOwn") : t("home.costOwnMax", { cost: costMax });
    case "recording":
      return t("home.costRecording");
  }
}

function Answer({ source, trial }: { source: CallSource; trial: Trial }) {
  const t = useT();
  const { state, text, fault } = trial;
  if (state === "idle") return <Muted>{t("home.answerHere")}</Muted>;
  return (
    <>
      <p className="break-words whitespace-pre-wrap" dir="auto">
        {text === "" && state === "running" ? <Muted>{t("home.sent")}</Muted> : text}
      </p>
      {state === "done" && <Done trial={trial} />}
      {state === "failed" && (
        <p>
          <Toned tone="danger">{faultText(source, fault, t)}</Toned>
        </p>
      )}
    </>
  );
}

function Done({ trial: { call, tookMs } }: { trial: Trial }) {
  const t = useT();
  const { quotaPerUnit } = useQuotaDisplay();
  if (call === null) return <Muted>{t("home.noRow")}</Muted>;
  const { input, output, quota } = call;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-sm tabular-nums">
      <span className="font-mono font-semibold">{showSixDigits(quota, quotaPerUnit)}</span>
      <Muted>{tokensText({ input, output }, t)}</Muted>
      <Muted>{t("home.seconds", { seconds: (tookMs / 1_000).toFixed(1) })}</Muted>
      <Link href="#bill">{t("home.seeBill")}</Link>
    </p>
  );
}

/** Codes of refusals that have words of their own here. */
function faultText(source: CallSource, fault: Trial["fault"], t: T): string {
  const { code = "", message = "" } = fault ?? {};
  if (code === "insufficient_user_quota") {
    return source === "demo" ? t("home.demoSpent") : t("home.balanceSpent");
  }
  if (code === "offline" || code === "broken") return t("home.away");
  return message === "" ? t("home.callFailed") : showMessage(message, t);
}
