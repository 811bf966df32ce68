import { useCallback, useMemo, useRef, useState, lazy, Suspense } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useGroupNames } from "./users.api.ts";

// A sixth of what a list screen may load, for a question that is rarely asked.
const Combobox = lazy(async () => ({
  default: (await import("#ui/controls/Combobox.tsx")).Combobox,
}));

export type GroupQuestion = {
  /** How many users move; 0: nothing is asked. */
  readonly count: number;
  /** Resolves to the group; null: the user thought better of it. */
  readonly ask: (count: number) => Promise<string | null>;
  readonly answer: (group: string | null) => void;
};

export function useGroupQuestion(): GroupQuestion {
  const [count, setCount] = useState(0);
  const resolve = useRef<((group: string | null) => void) | null>(null);
  const answer = useCallback((group: string | null) => {
    setCount(0);
    resolve.current?.(group);
    resolve.current = null;
  }, []);
  const ask = useCallback(
    (asked: number) => {
      answer(null);
      setCount(asked);
      return new Promise<string | null>((done) => {
        resolve.current = done;
      });
    },
    [answer],
  );
  return useMemo(() => ({ count, ask, answer }), [count, ask, answer]);
}

/** Asks into which group several users move. */
export function SetGroupDialog({ question }: { question: GroupQuestion }) {
  const { count, answer } = question;
  const t = useT();
  const { data: groups } = useGroupNames();
  const [group, setGroup] = useState("");
  const close = (given: string | null) => {
    setGroup("");
    answer(given);
  };
  return (
    <Dialog
      open={count > 0}
      onClose={() => close(null)}
      title={t("users.setGroupTitle", { count })}
      description={t("users.setGroupHelp")}
      width="sm"
      footer={
        <>
          <Button onClick={() => close(null)}>{t("users.cancel")}</Button>
          <Button variant="primary" disabled={group === ""} onClick={() => close(group)}>
            {t("users.setGroup")}
          </Button>
        </>
      }
    >
      <Suspense fallback={null}>
        <Combobox
          aria-label={t("users.group")}
          items={(groups ?? []).map((name) => ({ value: name, label: name }))}
          loading={groups === undefined}
          placeholder={t("users.groupPlaceholder")}
          value={group}
          onChange={(value: string | number | null) => setGroup(String(value ?? ""))}
        />
      </Suspense>
    </Dialog>
  );
}
