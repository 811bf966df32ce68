import { ChevronRight } from "lucide-react";
import { type ReactNode, use, useEffect, useId, useState } from "react";
import { useFormState } from "react-hook-form";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { sectionDomId, SectionContext, useFormWorkings } from "./form-context.ts";

/**
 * A section of a form with a title. `folded`: closed at first, for fields that are rarely needed;
 * an error in one of them opens the section. Fields of a closed section stay part of the form.
 */
export function FormSection(props: {
  id: string;
  title: string;
  description?: ReactNode;
  folded?: boolean;
  children: ReactNode;
}) {
  const { id, title, description, folded } = props;
  const form = useFormWorkings();
  const parent = use(SectionContext);
  if (parent !== null) throw new Error("a section stands inside a section");
  const [isOpen, setOpen] = useState(folded !== true);
  const bodyId = useId();
  const { noteSection } = form;
  useEffect(
    () => noteSection(id, { title, unfold: () => setOpen(true) }),
    [noteSection, id, title],
  );
  const heading = (
    <>
      {title}
      <ErrorCount section={id} />
    </>
  );
  return (
    <SectionContext value={id}>
      <section
        id={sectionDomId(form.id, id)}
        aria-label={title}
        className="flex scroll-mt-4 flex-col gap-4"
      >
        <div className="flex flex-col gap-1">
          <h3 className="flex items-center gap-2 text-sm font-semibold">
            {folded === undefined ? (
              heading
            ) : (
              <button
                type="button"
                aria-expanded={isOpen}
                aria-controls={bodyId}
                onClick={() => setOpen(!isOpen)}
                className="-mx-1 flex min-h-8 flex-1 items-center gap-2 rounded-inner px-1 text-left"
              >
                <ChevronRight aria-hidden className={isOpen ? "size-4 rotate-90" : "size-4"} />
                {heading}
              </button>
            )}
          </h3>
          {description !== undefined && (
            <span className="text-xs">
              <Muted>{description}</Muted>
            </span>
          )}
        </div>
        <div id={bodyId} hidden={!isOpen} className={isOpen ? "flex flex-col gap-4" : "hidden"}>
          {props.children}
        </div>
      </section>
    </SectionContext>
  );
}

/**
 * The number of wrong fields in a section, shown in its title, because the section may be closed.
 */
function ErrorCount({ section }: { section: string }) {
  const t = useT();
  const { control, sectionOf } = useFormWorkings();
  const { errors } = useFormState({ control });
  const count = Object.keys(errors).filter((name) => sectionOf(name) === section).length;
  if (count === 0) return null;
  return <Badge tone="danger">{t("ui.formErrorCount", { count })}</Badge>;
}
