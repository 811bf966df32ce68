import { Dialog as Base } from "@base-ui/react/dialog";
import { CommandGroup, CommandInput, CommandItem, CommandList, CommandRoot } from "cmdk";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Kbd } from "#ui/layout/Kbd.tsx";
import { isTopFrame, openFrame } from "./frames.ts";

export type Command = {
  /** Unique within the command box. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon?: ReactNode;
  /** Whether the command sets a choice that already applies, such as the current theme. */
  readonly current?: boolean | undefined;
  readonly onSelect: () => void;
};

export type CommandSection = {
  readonly id: string;
  readonly title: string;
  readonly commands: readonly Command[];
};

/**
 * A search field over the page, with the matching commands below. The caller decides what matches.
 */
export function CommandBox(props: {
  open: boolean;
  onClose: () => void;
  label: string;
  placeholder: string;
  /** The text in the search field when the box opens. */
  firstText: string;
  /** Called with the typed text, without text that an input method is still composing. */
  onQuery: (query: string) => void;
  sections: readonly CommandSection[];
  /** Whether a search is still running, so that more results may follow. */
  busy: boolean;
  /** The text that is shown if nothing was found. */
  empty: string;
  /** Shown below the results. */
  note?: string | undefined;
  /** Says what Enter does; shown at the bottom, beside the names of the keys. */
  hint: string;
}) {
  const { open, onClose, label, empty, busy, sections } = props;
  const [frame] = useState(() => Symbol("palette"));
  const input = useRef<HTMLInputElement>(null);
  const composing = useRef(false);
  const [text, setText] = useState(props.firstText);
  const { chosen, choose } = useChoice(sections);
  useEffect(() => (open ? openFrame(frame) : undefined), [open, frame]);
  function ask(query: string) {
    choose("");
    props.onQuery(query);
  }
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next && isTopFrame(frame) && !composing.current) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop forceRender className="fixed inset-0 bg-shade" />
        <Base.Popup
          initialFocus={input}
          className={
            "fixed top-[12dvh] left-1/2 flex max-h-[76dvh] w-[calc(100vw-2rem)] max-w-160 " +
            "-translate-x-1/2 flex-col overflow-hidden rounded border border-line bg-panel text-ink " +
            "outline-none max-md:top-2 max-md:max-h-[calc(100dvh-1rem)] max-md:w-[calc(100vw-1rem)]"
          }
        >
          <Base.Title className="sr-only">{label}</Base.Title>
          <CommandRoot
            label={label}
            shouldFilter={false}
            vimBindings={false}
            loop
            value={chosen}
            onValueChange={choose}
            className="flex min-h-0 flex-1 flex-col outline-none"
          >
            <div className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
              <Search size={16} aria-hidden className="shrink-0 text-muted" />
              <CommandInput
                ref={input}
                value={text}
                placeholder={props.placeholder}
                enterKeyHint="go"
                className="h-full min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
                onValueChange={(next) => {
                  setText(next);
                  if (!composing.current) ask(next);
                }}
                onCompositionStart={() => {
                  composing.current = true;
                }}
                onCompositionEnd={(event) => {
                  composing.current = false;
                  ask(event.currentTarget.value);
                }}
              />
              {busy && <Spinner />}
            </div>
            <CommandList
              label={label}
              className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5 outline-none"
            >
              {sections.map((section) => (
                <Section key={section.id} section={section} />
              ))}
            </CommandList>
            <div role="status" className="shrink-0 text-sm text-muted">
              {sections.length === 0 && !busy && <p className="px-4 py-6 text-center">{empty}</p>}
              {props.note !== undefined && <p className="px-4 py-2">{props.note}</p>}
            </div>
          </CommandRoot>
          <footer className="flex shrink-0 items-center gap-3 border-t border-line px-4 py-2 text-xs text-muted max-md:hidden">
            <span className="flex items-center gap-1">
              <Kbd>↑</Kbd>
              <Kbd>↓</Kbd>
            </span>
            <span className="flex items-center gap-1">
              <Kbd>Enter</Kbd>
              {props.hint}
            </span>
            <span className="ml-auto">
              <Kbd>Esc</Kbd>
            </span>
          </footer>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Section({ section }: { section: CommandSection }) {
  return (
    <CommandGroup
      heading={<span className="block px-2.5 pt-2 pb-1 text-xs text-muted">{section.title}</span>}
    >
      {section.commands.map((command) => (
        <CommandItem
          key={command.id}
          value={command.id}
          onSelect={command.onSelect}
          className={
            "flex min-h-control cursor-default items-center gap-2.5 rounded px-2.5 py-1 text-base " +
            "select-none data-[selected=true]:bg-active"
          }
        >
          <span className="flex w-4 shrink-0 justify-center text-muted">{command.icon}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-left">
            {command.label}
          </span>
          {command.hint !== undefined && (
            <span className="max-w-1/2 shrink-0 truncate text-xs text-muted">{command.hint}</span>
          )}
          {command.current === true && <span aria-hidden>✓</span>}
        </CommandItem>
      ))}
    </CommandGroup>
  );
}

/**
 * Returns the highlighted command. If it is no longer among the results, the first command is
 * highlighted.
 */
function useChoice(sections: readonly CommandSection[]) {
  const [wanted, choose] = useState("");
  const ids = sections.flatMap(({ commands }) => commands.map(({ id }) => id));
  return { chosen: ids.includes(wanted) ? wanted : (ids[0] ?? ""), choose };
}
