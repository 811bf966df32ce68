import { FlaskConical, Search, X } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { toast } from "#ui/overlays/toast.ts";

/** The longest key that is sent, in characters. */
const keyMax = 16_000;

/**
 * Root's search for the channels that have a key, and the button that tests them. The key is a
 * secret, so it stays in the page's memory: it is in no address, history or storage.
 */
export function KeySearch(props: {
  /** The model that the list is filtered by; a search for a key requires one. */
  model: string;
  /** The key that is searched for; empty: none. */
  value: string;
  onSearch: (key: string) => void;
  /** Clears the key and all filters. */
  onReset: () => void;
  onTest: (key: string, model: string) => void;
}) {
  const { model, value, onSearch, onReset, onTest } = props;
  const t = useT();
  const [text, setText] = useState("");
  const key = text.trim();
  function search(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (key !== "" && model === "") {
      toast({ tone: "warning", title: t("channels.keyNeedsModel") });
      return;
    }
    onSearch(key);
  }
  function test(): void {
    if (key === "" || model === "") {
      toast({ tone: "warning", title: t("channels.testNeedsKeyAndModel") });
      return;
    }
    onTest(key, model);
  }
  return (
    <form onSubmit={search} className="flex flex-wrap items-center gap-2">
      <span className="w-72 max-md:w-full">
        <PasswordInput
          aria-label={t("channels.keySearch")}
          placeholder={t("channels.keySearch")}
          autoComplete="off"
          maxLength={keyMax}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      <Button type="submit" icon={<Search size={16} aria-hidden />}>
        {t("channels.query")}
      </Button>
      <Button
        icon={<X size={16} aria-hidden />}
        onClick={() => {
          setText("");
          onReset();
        }}
      >
        {t("channels.reset")}
      </Button>
      <Button icon={<FlaskConical size={16} aria-hidden />} onClick={test}>
        {t("channels.testByKey")}
      </Button>
      {value !== "" && (
        <span role="status" className="text-sm">
          {t("channels.searchedByKey")}
        </span>
      )}
    </form>
  );
}
