import { Search } from "lucide-react";
import { type SubmitEvent, useId, useState } from "react";
import { CallError } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";

/** The longest key that can be entered, in characters; keys of the gateway are shorter. */
const keyMax = 256;

/** The page before a key is known: it asks for the key, and says why one was refused. */
export function KeyForm(props: {
  isReading: boolean;
  error: unknown;
  onEnter: (key: string) => void;
}) {
  const t = useT();
  const id = useId();
  const [text, setText] = useState("");
  const key = text.trim();
  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (key !== "") props.onEnter(key);
  }
  return (
    <Page>
      <PageHeader title={t("keyQuery.title")} description={t("keyQuery.description")} />
      <div className="max-w-140">
        <Card>
          <form onSubmit={handleSubmit} className="flex flex-col gap-3">
            {props.error !== null && <Banner tone="danger" title={wordsOf(props.error)} />}
            <label htmlFor={id} className="text-sm font-medium">
              {t("keyQuery.key")}
            </label>
            <PasswordInput
              id={id}
              placeholder="sk-…"
              autoComplete="off"
              maxLength={keyMax}
              aria-describedby={`${id}-help`}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <p id={`${id}-help`} className="text-xs">
              <Muted>{t("keyQuery.keyHelp")}</Muted>
            </p>
            <div>
              <Button
                variant="primary"
                type="submit"
                icon={<Search size={16} aria-hidden />}
                loading={props.isReading}
                disabled={key === ""}
              >
                {t("keyQuery.query")}
              </Button>
            </div>
          </form>
        </Card>
      </div>
    </Page>
  );
}

/**
 * Says why a key was refused, in the server's words. The console's own words for this status speak
 * of a sign-in, which is not needed here.
 */
function wordsOf(error: unknown): string {
  const isRefused = error instanceof CallError && error.status === 401;
  return isRefused ? error.message : describeError(error).title;
}
