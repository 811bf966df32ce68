import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { undoMail } from "./registration.api.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/**
 * The screen that undoes a change of an account's e-mail address. Its link is sent to the old
 * address. Only a click on the button changes anything, because mail programs open links by
 * themselves.
 */
export function UndoMailScreen() {
  const t = useT();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const link = readLink(search);
  const [state, setState] = useState<"asking" | "done" | "sending">("asking");
  const [fault, setFault] = useState<string | null>(null);

  async function undo() {
    if (link === null || state === "sending") return;
    setState("sending");
    setFault(null);
    try {
      await undoMail(link);
      setState("done");
    } catch (error) {
      setFault(describeFailure(error, t).title);
      setState("asking");
    }
  }

  return (
    <SignInFrame title={t("signIn.undoMail")}>
      {link === null ? (
        <Banner tone="danger" title={t("entry.undoBroken")} />
      ) : (
        <>
          {fault !== null && <Banner tone="danger" title={fault} />}
          <DescriptionList items={[{ label: t("entry.email"), value: link.email }]} />
          {state === "done" ? (
            <>
              <Banner tone="success" title={t("entry.undoDone")}>
                {t("entry.undoDoneHow")}
              </Banner>
              <LinkButton to="/reset" variant="primary">
                {t("entry.undoReset")}
              </LinkButton>
            </>
          ) : (
            <>
              <p>{t("entry.undoHow")}</p>
              <Button
                variant="primary"
                type="submit"
                loading={state === "sending"}
                onClick={() => void undo()}
              >
                {t("entry.undoConfirm")}
              </Button>
            </>
          )}
        </>
      )}
      {state !== "done" && (
        <p className="text-sm">
          <Link to="/login">{t("signIn.title")}</Link>
        </p>
      )}
    </SignInFrame>
  );
}

type UndoLink = { readonly user: string; readonly email: string; readonly token: string };

/**
 * Reads the parts of the link; null: one is missing. The router reads a token that consists of
 * digits as a number.
 */
function readLink({ user, email, token }: Readonly<Record<string, unknown>>): UndoLink | null {
  const isPart = (part: unknown): boolean =>
    (typeof part === "string" && part !== "") || typeof part === "number";
  if (![user, email, token].every(isPart)) return null;
  return { user: String(user), email: String(email), token: String(token) };
}
