import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { ConfirmDialog, type ConfirmQuestion } from "./ConfirmDialog.tsx";
import { CopyFallbackDialog } from "./CopyFallbackDialog.tsx";
import { closeScope, openScope, type Scope } from "./scopes.ts";

const DepthContext = createContext(0);

type OpenQuestion = { readonly question: ConfirmQuestion; readonly answer: (yes: boolean) => void };

/**
 * Draws questions and other dialogs. There is one around the page and one inside every sheet and
 * dialog: a dialog above a sheet has to be the sheet's child, or Escape and a click in the dialog
 * would close the sheet, too.
 */
export function DialogScope(props: {
  /** False while the surrounding sheet closes, because nothing may be drawn in it any more. */
  active?: boolean | undefined;
  children: ReactNode;
}) {
  const { active = true, children } = props;
  const depth = useContext(DepthContext);
  const [asked, setAsked] = useState<OpenQuestion | null>(null);
  const [toCopy, setToCopy] = useState<string | null>(null);
  const [drawn, setDrawn] = useState<ReactNode>(null);
  const pending = useRef<OpenQuestion | null>(null);

  useEffect(() => {
    if (!active) return undefined;
    function ask(next: OpenQuestion | null) {
      pending.current?.answer(false);
      pending.current = next;
      setAsked(next);
    }
    const scope: Scope = {
      depth,
      confirm: (question) => new Promise((answer) => ask({ question, answer })),
      draw: setDrawn,
      showToCopy: setToCopy,
    };
    openScope(scope);
    return () => {
      closeScope(scope);
      ask(null);
      setDrawn(null);
    };
  }, [active, depth]);

  function answer(yes: boolean) {
    pending.current?.answer(yes);
    pending.current = null;
    setAsked(null);
  }

  return (
    <DepthContext value={depth + 1}>
      {children}
      {drawn}
      <ConfirmDialog question={asked?.question ?? null} onAnswer={answer} />
      <CopyFallbackDialog text={toCopy} onClose={() => setToCopy(null)} />
    </DepthContext>
  );
}
