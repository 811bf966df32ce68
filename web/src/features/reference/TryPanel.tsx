import type { Callable } from "@tollgate/contract/endpoints/caller-reference.ts";
import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { exampleOf, pathWith } from "./call-groups.ts";
import { type Tried, tryCall } from "./reference.api.ts";

/** Makes a call with the reader's own key, and shows what comes as it comes. */
export function TryPanel(props: {
  readonly callable: Callable;
  readonly origin: string;
  readonly model: string;
  readonly apiKey: string;
  onKey(key: string): void;
}) {
  const { callable, origin, model, apiKey, onKey } = props;
  const t = useT();
  const example = exampleOf(callable, model);
  const [path, setPath] = useState(() => pathWith(callable.path, model));
  const [body, setBody] = useState(() =>
    example === null ? "" : JSON.stringify(example, null, 2),
  );
  const { tried, error, isRunning, send, stop } = useTry();
  return (
    <form
      className="flex min-w-0 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const asked = { method: callable.method, url: origin + path, key: apiKey };
        void send({ ...asked, body: example === null ? null : body });
      }}
    >
      <h3 className="text-sm font-medium">{t("reference.tryIt")}</h3>
      <p className="text-sm">
        <Muted>{t("reference.tryText")}</Muted>
      </p>
      <PasswordInput
        aria-label={t("reference.key")}
        placeholder="sk-…"
        autoComplete="off"
        value={apiKey}
        onChange={(event) => onKey(event.target.value.trim())}
      />
      <Input
        aria-label={t("reference.path")}
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      {example !== null && (
        <Textarea
          aria-label={t("reference.body")}
          fixedWidth
          spellCheck={false}
          rows={Math.min(12, body.split("\n").length + 1)}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        {isRunning ? (
          <Button type="button" onClick={stop}>
            {t("reference.stop")}
          </Button>
        ) : (
          <Button type="submit" variant="primary" disabled={apiKey === ""}>
            {t("reference.send")}
          </Button>
        )}
        <span role="status" className="text-sm">
          {error === "" && tried !== null
            ? t("reference.status", { status: tried.status, ms: tried.ms })
            : error}
        </span>
      </div>
      {tried !== null && <Answer tried={tried} isRunning={isRunning} />}
    </form>
  );
}

function Answer({ tried, isRunning }: { readonly tried: Tried; readonly isRunning: boolean }) {
  const t = useT();
  const session = useSession();
  const { requestId, text, isCut } = tried;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <CodeBlock code={pretty(text)} language="json" maxHeight="24rem" colours={!isRunning} />
      {isCut && <Muted>{t("reference.cut")}</Muted>}
      {requestId !== "" && session !== null && !isRunning && (
        <div>
          <LinkButton to="/log" search={{ request_id: requestId }} size="sm">
            {t("reference.log")}
          </LinkButton>
        </div>
      )}
    </div>
  );
}

type Sent = Parameters<typeof tryCall>[0];

function useTry() {
  const t = useT();
  const [tried, setTried] = useState<Tried | null>(null);
  const [error, setError] = useState("");
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  const send = async (asked: Sent): Promise<void> => {
    setTried(null);
    setError("");
    if (asked.body !== null && !isJson(asked.body)) {
      setError(t("reference.badBody"));
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    try {
      await tryCall(asked, controller.signal, setTried);
    } catch {
      if (!controller.signal.aborted) setError(t("reference.failed"));
    } finally {
      setRunning(false);
    }
  };
  return { tried, error, isRunning, send, stop: () => running.current?.abort() };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Indents an answer that is JSON as a whole; a stream stays as it came. */
function pretty(text: string): string {
  return isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
}
