import { useSyncExternalStore } from "react";
import { useT } from "#i18n/t.ts";
import { sectionDomId } from "./form-context.ts";
import type { FormNotes } from "./form-notes.ts";

/** The number of sections from which on a form has links to them. */
const anchorsFrom = 3;

/** Links to the sections of a long form. A link to a folded section opens it. */
export function SectionAnchors({ notes }: { notes: FormNotes }) {
  const t = useT();
  const sections = useSyncExternalStore(notes.subscribeSections, notes.readSections);
  if (sections.length < anchorsFrom) return null;
  return (
    <nav aria-label={t("ui.formSectionsLabel")} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {sections.map(([id, { title, unfold }]) => (
        <button
          key={id}
          type="button"
          className="min-h-6 text-muted underline-offset-4 hover:text-ink hover:underline max-md:min-h-10 max-md:min-w-8 text-left"
          onClick={() => {
            unfold();
            requestAnimationFrame(() => goTo(sectionDomId(notes.formId, id)));
          }}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

function goTo(id: string): void {
  const section = document.getElementById(id);
  section?.scrollIntoView({ block: "start" });
  section?.querySelector<HTMLElement>("input,textarea,select,button")?.focus({
    preventScroll: true,
  });
}
